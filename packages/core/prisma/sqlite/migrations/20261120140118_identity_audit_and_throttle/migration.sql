-- Columns are added, never by making a table anew.

-- AlterTable
ALTER TABLE "audit" ADD COLUMN "noun" TEXT NOT NULL DEFAULT '';
UPDATE "audit" SET "noun" = substr("action", 1, instr("action" || '.', '.') - 1);

-- AlterTable
ALTER TABLE "throttle" ADD COLUMN "open_attempts" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "throttle" ADD COLUMN "open_until_ms" INTEGER NOT NULL DEFAULT 0;

-- DropIndex
DROP INDEX "audit_action_id_idx";

-- DropIndex
DROP INDEX "audit_actor_id_id_idx";

-- CreateIndex
CREATE INDEX "audit_action_id_actor_id_time_ms_idx" ON "audit"("action", "id", "actor_id", "time_ms");

-- CreateIndex
CREATE INDEX "audit_noun_id_actor_id_time_ms_idx" ON "audit"("noun", "id", "actor_id", "time_ms");

-- CreateIndex
CREATE INDEX "audit_actor_id_id_time_ms_idx" ON "audit"("actor_id", "id", "time_ms");
