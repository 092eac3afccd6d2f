-- DropIndex
DROP INDEX "errlog_chunk_to_time_idx";

-- DropIndex
DROP INDEX "source_node_type_node_id_name_key";

-- AlterTable
ALTER TABLE "errlog" ADD COLUMN "service" TEXT;

-- DropTable
DROP TABLE "errlog_request";

-- CreateTable
CREATE TABLE "errlog_segment" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "last_id" INTEGER NOT NULL,
    "n" INTEGER NOT NULL,
    "from_time" INTEGER NOT NULL,
    "to_time" INTEGER NOT NULL,
    "day" INTEGER NOT NULL,
    "packed" BOOLEAN NOT NULL DEFAULT false,
    "bytes" INTEGER NOT NULL,
    "groups" BLOB NOT NULL,
    "filter" BLOB NOT NULL,
    "numbers" BLOB NOT NULL,
    "texts" BLOB NOT NULL
);

-- CreateIndex
CREATE INDEX "errlog_segment_to_time_idx" ON "errlog_segment"("to_time");

-- CreateIndex
CREATE INDEX "errlog_segment_id_idx" ON "errlog_segment"("id") WHERE not packed;

-- CreateIndex
CREATE INDEX "errlog_service_log_time_id_idx" ON "errlog"("service", "log_time", "id");

-- CreateIndex
CREATE UNIQUE INDEX "source_node_type_node_id_name_agent_id_key" ON "source"("node_type", "node_id", "name", "agent_id");

-- Lines that were stored in chunks get the ids from 1 on, when a job packs them into segments.
INSERT INTO "setting" ("name", "value")
SELECT 'errlog_next_line', CAST(1 + coalesce(sum("n"), 0) AS TEXT) FROM "errlog_chunk";
