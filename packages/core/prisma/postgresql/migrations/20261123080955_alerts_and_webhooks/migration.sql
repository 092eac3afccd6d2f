-- CreateTable
CREATE TABLE "alert_rule" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "kind" TEXT NOT NULL,
    "condition" TEXT NOT NULL DEFAULT '{}',
    "filter" TEXT NOT NULL DEFAULT '',
    "for_s" INTEGER NOT NULL DEFAULT 0,
    "cooldown_s" INTEGER NOT NULL,
    "position" TEXT NOT NULL DEFAULT '',
    "told_ms" BIGINT NOT NULL DEFAULT 0,
    "created_ms" BIGINT NOT NULL,
    "created_by" TEXT NOT NULL,
    "modified_ms" BIGINT NOT NULL,

    CONSTRAINT "alert_rule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert_channel" (
    "rule_id" INTEGER NOT NULL,
    "webhook_id" INTEGER NOT NULL,

    CONSTRAINT "alert_channel_pkey" PRIMARY KEY ("rule_id","webhook_id")
);

-- CreateTable
CREATE TABLE "alert" (
    "id" BIGSERIAL NOT NULL,
    "rule_id" INTEGER NOT NULL,
    "cause" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "detail" TEXT NOT NULL DEFAULT '{}',
    "parent_id" BIGINT NOT NULL DEFAULT 0,
    "messages" INTEGER NOT NULL DEFAULT 0,
    "since_ms" BIGINT NOT NULL,
    "fired_ms" BIGINT NOT NULL DEFAULT 0,
    "told_ms" BIGINT NOT NULL DEFAULT 0,
    "resolved_ms" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "alert_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "url" BYTEA,
    "recipients" TEXT NOT NULL DEFAULT '',
    "types" TEXT NOT NULL DEFAULT '',
    "filter" TEXT NOT NULL DEFAULT '',
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "secret" BYTEA,
    "previous_secret" BYTEA,
    "previous_until_ms" BIGINT NOT NULL DEFAULT 0,
    "event_id" BIGINT NOT NULL DEFAULT 0,
    "failing_since_ms" BIGINT NOT NULL DEFAULT 0,
    "created_ms" BIGINT NOT NULL,
    "created_by" TEXT NOT NULL,
    "modified_ms" BIGINT NOT NULL,

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" BIGSERIAL NOT NULL,
    "webhook_id" INTEGER NOT NULL,
    "message_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "created_ms" BIGINT NOT NULL,
    "next_ms" BIGINT NOT NULL,
    "expires_ms" BIGINT NOT NULL,
    "attempt_ms" BIGINT NOT NULL DEFAULT 0,
    "status" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT NOT NULL DEFAULT '',
    "body" TEXT NOT NULL,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "lease" (
    "name" TEXT NOT NULL,
    "holder" TEXT NOT NULL,
    "until_ms" BIGINT NOT NULL,

    CONSTRAINT "lease_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "errlog_regressed_idx" ON "errlog"("state_since") WHERE (state = 'regressed');

-- CreateIndex
CREATE INDEX "alert_channel_webhook_id_idx" ON "alert_channel"("webhook_id");

-- CreateIndex
CREATE INDEX "alert_rule_id_cause_id_idx" ON "alert"("rule_id", "cause", "id");

-- CreateIndex
CREATE INDEX "alert_state_since_ms_idx" ON "alert"("state", "since_ms");

-- CreateIndex
CREATE INDEX "alert_resolved_ms_idx" ON "alert"("resolved_ms") WHERE (resolved_ms > 0);

-- CreateIndex
CREATE INDEX "alert_parent_id_idx" ON "alert"("parent_id") WHERE (parent_id > 0);

-- CreateIndex
CREATE UNIQUE INDEX "alert_open_key" ON "alert"("rule_id", "cause") WHERE (state <> 'resolved');

-- CreateIndex
CREATE UNIQUE INDEX "webhook_delivery_message_id_key" ON "webhook_delivery"("message_id");

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_id_idx" ON "webhook_delivery"("webhook_id", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_state_id_idx" ON "webhook_delivery"("webhook_id", "state", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_created_ms_idx" ON "webhook_delivery"("created_ms") WHERE (state <> 'waiting');

-- AddForeignKey
ALTER TABLE "alert_channel" ADD CONSTRAINT "alert_channel_rule_id_fkey" FOREIGN KEY ("rule_id") REFERENCES "alert_rule"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_channel" ADD CONSTRAINT "alert_channel_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert" ADD CONSTRAINT "alert_rule_id_fkey" FOREIGN KEY ("rule_id") REFERENCES "alert_rule"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;
