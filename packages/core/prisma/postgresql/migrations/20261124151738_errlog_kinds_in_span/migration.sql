-- DropIndex
DROP INDEX "errlog_log_time_id_level_src_idx";

-- CreateIndex
CREATE INDEX "errlog_log_time_id_level_src_app_id_service_state_idx" ON "errlog"("log_time", "id", "level", "src", "app_id", "service", "state");
