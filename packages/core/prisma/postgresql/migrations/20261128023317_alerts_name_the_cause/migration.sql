ALTER TABLE "alert" RENAME COLUMN "cause" TO "key";
ALTER TABLE "alert" ADD COLUMN "groups" TEXT NOT NULL DEFAULT '[]',
ADD COLUMN     "cause" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "looks" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "grown" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "ack_ms" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "ack_by" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "ack_note" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "assignee_id" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "muted_ms" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "alert_rule" ADD COLUMN "repeat_s" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "runbook" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "issue" TEXT NOT NULL DEFAULT '';
ALTER TABLE "webhook" ADD COLUMN "settings" BYTEA,
ADD COLUMN     "prefix" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "parts" TEXT NOT NULL DEFAULT '';
ALTER TABLE "webhook_delivery" ADD COLUMN "alert_id" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "receipt" TEXT NOT NULL DEFAULT '';
ALTER INDEX "alert_rule_id_cause_id_idx" RENAME TO "alert_rule_id_key_id_idx";
CREATE INDEX "alert_fired_ms_idx" ON "alert"("fired_ms") WHERE (fired_ms > 0);
CREATE INDEX "webhook_delivery_alert_id_webhook_id_idx" ON "webhook_delivery"("alert_id", "webhook_id") WHERE (alert_id > 0);
