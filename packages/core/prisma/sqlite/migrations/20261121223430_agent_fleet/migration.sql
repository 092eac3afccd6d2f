-- CreateTable
CREATE TABLE "agent_label" (
    "agent_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL DEFAULT '',

    PRIMARY KEY ("agent_id", "name"),
    CONSTRAINT "agent_label_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agent" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "agent_change" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "agent_id" INTEGER NOT NULL,
    "time_ms" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "field" TEXT NOT NULL DEFAULT '',
    "before" TEXT NOT NULL DEFAULT '',
    "after" TEXT NOT NULL DEFAULT '',
    "actor" TEXT NOT NULL DEFAULT '',
    CONSTRAINT "agent_change_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agent" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "enrollment" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "name" TEXT NOT NULL,
    "token_hash" BLOB NOT NULL,
    "token_tail" TEXT NOT NULL,
    "expire_ms" INTEGER NOT NULL DEFAULT 0,
    "uses" INTEGER NOT NULL DEFAULT 0,
    "used" INTEGER NOT NULL DEFAULT 0,
    "labels" TEXT NOT NULL DEFAULT '{}',
    "created_ms" INTEGER NOT NULL,
    "created_by" TEXT NOT NULL,
    "last_used_ms" INTEGER NOT NULL DEFAULT 0
);

-- CreateTable
CREATE TABLE "operation" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "agent_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "params" TEXT NOT NULL DEFAULT '{}',
    "state" TEXT NOT NULL DEFAULT 'queued',
    "progress" INTEGER NOT NULL DEFAULT 0,
    "detail" TEXT NOT NULL DEFAULT '',
    "deadline_ms" INTEGER NOT NULL,
    "run_within_s" INTEGER NOT NULL,
    "created_ms" INTEGER NOT NULL,
    "modified_ms" INTEGER NOT NULL,
    "created_by" TEXT NOT NULL,
    CONSTRAINT "operation_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agent" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "kernel_rule" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "pattern" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "created_ms" INTEGER NOT NULL,
    "created_by" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "outage" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "started_ms" INTEGER NOT NULL,
    "ended_ms" INTEGER NOT NULL DEFAULT 0,
    "lost" INTEGER NOT NULL,
    "returned" INTEGER NOT NULL DEFAULT 0
);

-- AlterTable
ALTER TABLE "agent" ADD COLUMN "bad_kernel_reported" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "agent" ADD COLUMN "bad_kernel_reason" TEXT NOT NULL DEFAULT '';
ALTER TABLE "agent" ADD COLUMN "settings_managed" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "agent" ADD COLUMN "boot_time" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "agent" ADD COLUMN "started" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "agent" ADD COLUMN "shipper" TEXT NOT NULL DEFAULT '';
ALTER TABLE "agent" ADD COLUMN "previous_hash" BLOB;
ALTER TABLE "agent" ADD COLUMN "secret_used" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "agent" ADD COLUMN "cloned_ms" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "agent" ADD COLUMN "state" TEXT NOT NULL DEFAULT 'pending';
ALTER TABLE "agent" ADD COLUMN "reason" TEXT NOT NULL DEFAULT 'registered';
ALTER TABLE "agent" ADD COLUMN "state_since_ms" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "agent" ADD COLUMN "maintenance" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "agent" ADD COLUMN "has_operations" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "agent" ADD COLUMN "enrollment_id" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "agent" ADD COLUMN "outage_id" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "agent" ADD COLUMN "history_from_ms" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "agent" ADD COLUMN "deleted_ms" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "errlog" ADD COLUMN "arrived" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "source" ADD COLUMN "agent_id" INTEGER NOT NULL DEFAULT 0;

-- What is known of the agents and sources that are there
UPDATE "agent" SET "bad_kernel_reported" = "bad_kernel", "secret_used" = true, "state_since_ms" = "last_reported_ms",
    "history_from_ms" = CAST(strftime('%s', 'now') AS INTEGER) * 1000,
    "deleted_ms" = CASE WHEN "is_deleted" THEN "modified_ms" ELSE 0 END,
    "state" = CASE WHEN "is_deleted" THEN 'deleted' WHEN "announced_online" THEN 'online' ELSE 'offline' END,
    "reason" = CASE WHEN "is_deleted" THEN 'deleted' WHEN "announced_online" THEN 'reporting' WHEN "shutdown" THEN 'shut_down' ELSE 'lost' END;
UPDATE "source" SET "agent_id" = coalesce((SELECT a."id" FROM "agent" a WHERE "source"."name" = 'agent ' || a."id"), 0) WHERE "name" LIKE 'agent %';

-- The state says what these two said
DROP INDEX "agent_announced_online_last_reported_ms_idx";
ALTER TABLE "agent" DROP COLUMN "announced_online";
ALTER TABLE "agent" DROP COLUMN "shutdown";

-- CreateIndex
CREATE INDEX "agent_state_last_reported_ms_idx" ON "agent"("state", "last_reported_ms");
CREATE UNIQUE INDEX "agent_previous_hash_key" ON "agent"("previous_hash");
CREATE INDEX "agent_outage_id_idx" ON "agent"("outage_id") WHERE outage_id > 0;
CREATE INDEX "agent_deleted_ms_idx" ON "agent"("deleted_ms") WHERE deleted_ms > 0;
CREATE INDEX "source_agent_id_idx" ON "source"("agent_id") WHERE agent_id > 0;

-- CreateIndex
CREATE INDEX "agent_label_name_value_idx" ON "agent_label"("name", "value");

-- CreateIndex
CREATE INDEX "agent_change_agent_id_id_idx" ON "agent_change"("agent_id", "id");

-- CreateIndex
CREATE INDEX "agent_change_time_ms_agent_id_idx" ON "agent_change"("time_ms", "agent_id");

-- CreateIndex
CREATE UNIQUE INDEX "enrollment_token_hash_key" ON "enrollment"("token_hash");

-- CreateIndex
CREATE INDEX "operation_agent_id_id_idx" ON "operation"("agent_id", "id");

-- CreateIndex
CREATE INDEX "operation_deadline_ms_idx" ON "operation"("deadline_ms") WHERE deadline_ms > 0;

-- CreateIndex
CREATE UNIQUE INDEX "kernel_rule_pattern_key" ON "kernel_rule"("pattern");
