-- CreateTable
CREATE TABLE "errlog_alias" (
    "id" SERIAL NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "level" INTEGER NOT NULL,
    "app_id" INTEGER NOT NULL,
    "service" TEXT NOT NULL,
    "expression" TEXT NOT NULL DEFAULT '',
    "target" TEXT NOT NULL,
    "sample" TEXT NOT NULL,
    "src_done" BIGINT NOT NULL,
    "leaving" BOOLEAN NOT NULL DEFAULT false,
    "created_ms" BIGINT NOT NULL,
    "created_by" TEXT NOT NULL,

    CONSTRAINT "errlog_alias_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "errlog_moved" (
    "former_id" BIGINT NOT NULL,
    "errlog_id" BIGINT NOT NULL,
    "alias_id" INTEGER NOT NULL,
    "saved" TEXT NOT NULL,
    "moved_ms" BIGINT NOT NULL,

    CONSTRAINT "errlog_moved_pkey" PRIMARY KEY ("former_id")
);

-- CreateTable
CREATE TABLE "errlog_history" (
    "id" BIGSERIAL NOT NULL,
    "errlog_id" BIGINT NOT NULL,
    "time_ms" BIGINT NOT NULL,
    "action" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "other_id" BIGINT NOT NULL,
    "log" TEXT NOT NULL,

    CONSTRAINT "errlog_history_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "errlog_rule" (
    "id" SERIAL NOT NULL,
    "text" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "created_by" TEXT NOT NULL,

    CONSTRAINT "errlog_rule_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "errlog_alias_fingerprint_idx" ON "errlog_alias"("fingerprint");

-- CreateIndex
CREATE INDEX "errlog_alias_target_idx" ON "errlog_alias"("target");

-- CreateIndex
CREATE INDEX "errlog_moved_errlog_id_idx" ON "errlog_moved"("errlog_id");

-- CreateIndex
CREATE INDEX "errlog_moved_alias_id_idx" ON "errlog_moved"("alias_id");

-- CreateIndex
CREATE INDEX "errlog_history_errlog_id_id_idx" ON "errlog_history"("errlog_id", "id");

-- CreateIndex
CREATE INDEX "errlog_history_other_id_idx" ON "errlog_history"("other_id");

-- CreateIndex
CREATE UNIQUE INDEX "errlog_rule_text_key" ON "errlog_rule"("text");
