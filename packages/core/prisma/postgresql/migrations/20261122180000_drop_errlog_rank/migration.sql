-- DropIndex
DROP INDEX "errlog_log_time_id_idx";

-- CreateIndex
CREATE INDEX "errlog_log_time_id_level_src_idx" ON "errlog"("log_time", "id", "level", "src");

-- DropTable
DROP TABLE "errlog_rank";

-- Groups of all sources together, so that the list's own count does not add up every source.
INSERT INTO "errlog_total" ("src", "app_id", "level", "state", "n")
SELECT -2, "app_id", "level", "state", sum("n") FROM "errlog_total" WHERE "src" >= 0 GROUP BY "app_id", "level", "state";

-- An index answers alone only where the table was vacuumed lately: by default that waits for a fifth of all rows.
ALTER TABLE "errlog" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.01);
