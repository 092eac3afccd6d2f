-- Retention has removed lines of the groups that exist: until now, kept minutes tell when they happened.
INSERT INTO "setting" ("name", "value")
SELECT 'errlog_lines_from', CAST((least(last, CAST(extract(epoch FROM now()) AS int8)) / 3600 + 1) * 3600 AS TEXT)
FROM (SELECT max("log_time") AS last FROM "errlog") groups WHERE last IS NOT NULL;
