-- Columns are added, never by making a table anew.

-- AlterTable
ALTER TABLE "audit" ADD COLUMN "noun" TEXT NOT NULL DEFAULT '';
UPDATE "audit" SET "noun" = substr("action", 1, instr("action" || '.', '.') - 1);

-- AlterTable
ALTER TABLE "throttle" ADD COLUMN "open_attempts" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "throttle" ADD COLUMN "open_until_ms" INTEGER NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "audit_noun_id_idx" ON "audit"("noun", "id");
