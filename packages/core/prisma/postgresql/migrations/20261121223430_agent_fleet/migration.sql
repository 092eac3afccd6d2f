-- AlterTable
ALTER TABLE "agent" ADD COLUMN     "bad_kernel_reason" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "bad_kernel_reported" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "boot_time" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "cloned_ms" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "deleted_ms" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "enrollment_id" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "has_operations" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "history_from_ms" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "maintenance" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "outage_id" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "previous_hash" BYTEA,
ADD COLUMN     "reason" TEXT NOT NULL DEFAULT 'registered',
ADD COLUMN     "secret_used" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "settings_managed" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "shipper" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "started" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "state" TEXT NOT NULL DEFAULT 'pending',
ADD COLUMN     "state_since_ms" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "errlog" ADD COLUMN     "arrived" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "source" ADD COLUMN     "agent_id" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "agent_label" (
    "agent_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "agent_label_pkey" PRIMARY KEY ("agent_id","name")
);

-- CreateTable
CREATE TABLE "agent_change" (
    "id" BIGSERIAL NOT NULL,
    "agent_id" INTEGER NOT NULL,
    "time_ms" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "field" TEXT NOT NULL DEFAULT '',
    "before" TEXT NOT NULL DEFAULT '',
    "after" TEXT NOT NULL DEFAULT '',
    "actor" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "agent_change_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "enrollment" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "token_tail" TEXT NOT NULL,
    "expire_ms" BIGINT NOT NULL DEFAULT 0,
    "uses" INTEGER NOT NULL DEFAULT 0,
    "used" INTEGER NOT NULL DEFAULT 0,
    "labels" TEXT NOT NULL DEFAULT '{}',
    "created_ms" BIGINT NOT NULL,
    "created_by" TEXT NOT NULL,
    "last_used_ms" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "enrollment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operation" (
    "id" SERIAL NOT NULL,
    "agent_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "params" TEXT NOT NULL DEFAULT '{}',
    "state" TEXT NOT NULL DEFAULT 'queued',
    "progress" INTEGER NOT NULL DEFAULT 0,
    "detail" TEXT NOT NULL DEFAULT '',
    "deadline_ms" BIGINT NOT NULL,
    "run_within_s" INTEGER NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "modified_ms" BIGINT NOT NULL,
    "created_by" TEXT NOT NULL,

    CONSTRAINT "operation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "kernel_rule" (
    "id" SERIAL NOT NULL,
    "pattern" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "created_by" TEXT NOT NULL,

    CONSTRAINT "kernel_rule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "outage" (
    "id" SERIAL NOT NULL,
    "started_ms" BIGINT NOT NULL,
    "ended_ms" BIGINT NOT NULL DEFAULT 0,
    "lost" INTEGER NOT NULL,
    "returned" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "outage_pkey" PRIMARY KEY ("id")
);

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
CREATE INDEX "operation_deadline_ms_idx" ON "operation"("deadline_ms") WHERE (deadline_ms > 0);

-- CreateIndex
CREATE UNIQUE INDEX "kernel_rule_pattern_key" ON "kernel_rule"("pattern");

-- CreateIndex
CREATE UNIQUE INDEX "agent_previous_hash_key" ON "agent"("previous_hash");

-- CreateIndex
CREATE INDEX "agent_outage_id_idx" ON "agent"("outage_id") WHERE (outage_id > 0);

-- CreateIndex
CREATE INDEX "agent_deleted_ms_idx" ON "agent"("deleted_ms") WHERE (deleted_ms > 0);

-- CreateIndex
CREATE INDEX "source_agent_id_idx" ON "source"("agent_id") WHERE (agent_id > 0);

-- AddForeignKey
ALTER TABLE "agent_label" ADD CONSTRAINT "agent_label_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_change" ADD CONSTRAINT "agent_change_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "operation" ADD CONSTRAINT "operation_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What is known of the agents and sources that are there
UPDATE "agent" SET "bad_kernel_reported" = "bad_kernel", "secret_used" = true, "state_since_ms" = "last_reported_ms",
    "history_from_ms" = CAST(extract(epoch FROM now()) * 1000 AS BIGINT),
    "deleted_ms" = CASE WHEN "is_deleted" THEN "modified_ms" ELSE 0 END,
    "state" = CASE WHEN "is_deleted" THEN 'deleted' WHEN "announced_online" THEN 'online' ELSE 'offline' END,
    "reason" = CASE WHEN "is_deleted" THEN 'deleted' WHEN "announced_online" THEN 'reporting' WHEN "shutdown" THEN 'shut_down' ELSE 'lost' END;
UPDATE "source" SET "agent_id" = coalesce((SELECT a."id" FROM "agent" a WHERE "source"."name" = 'agent ' || a."id"), 0) WHERE "name" LIKE 'agent %';

-- The state says what these two said
DROP INDEX "agent_announced_online_last_reported_ms_idx";
ALTER TABLE "agent" DROP COLUMN "announced_online", DROP COLUMN "shutdown";
CREATE INDEX "agent_state_last_reported_ms_idx" ON "agent"("state", "last_reported_ms");
