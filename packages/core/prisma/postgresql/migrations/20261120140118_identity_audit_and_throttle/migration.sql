-- AlterTable
ALTER TABLE "audit" ADD COLUMN     "noun" TEXT NOT NULL DEFAULT '';
UPDATE "audit" SET "noun" = split_part("action", '.', 1);

-- AlterTable
ALTER TABLE "throttle" ADD COLUMN     "open_attempts" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "open_until_ms" BIGINT NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "audit_noun_id_idx" ON "audit"("noun", "id");
