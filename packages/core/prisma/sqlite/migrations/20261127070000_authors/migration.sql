-- AlterTable
ALTER TABLE "alert_rule" ADD COLUMN "author_id" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "alert_rule" ADD COLUMN "author_token_id" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "alert_rule" ADD COLUMN "author_scopes" TEXT NOT NULL DEFAULT '';
ALTER TABLE "alert_rule" ADD COLUMN "stopped_ms" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "webhook" ADD COLUMN "author_id" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "webhook" ADD COLUMN "author_token_id" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "webhook" ADD COLUMN "author_scopes" TEXT NOT NULL DEFAULT '';

-- Rules and channels of before belong to those who created them, with all rights of their roles.
UPDATE "alert_rule" SET "author_id" = coalesce((SELECT u."id" FROM "user" u WHERE u."username" = "alert_rule"."created_by"), 0);
UPDATE "webhook" SET "author_id" = coalesce((SELECT u."id" FROM "user" u WHERE u."username" = "webhook"."created_by"), 0);
