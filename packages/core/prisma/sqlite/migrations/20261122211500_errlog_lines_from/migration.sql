-- Retention has removed lines of the groups that exist: until now, kept minutes tell when they happened.
INSERT INTO "setting" ("name", "value")
SELECT 'errlog_lines_from', CAST((min(last, CAST(strftime('%s', 'now') AS INTEGER)) / 3600 + 1) * 3600 AS TEXT)
FROM (SELECT max("log_time") AS last FROM "errlog") groups WHERE last IS NOT NULL;
