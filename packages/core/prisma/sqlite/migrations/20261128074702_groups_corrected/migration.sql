-- CreateTable
CREATE TABLE "errlog_alias" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "fingerprint" TEXT NOT NULL,
    "level" INTEGER NOT NULL,
    "app_id" INTEGER NOT NULL,
    "service" TEXT NOT NULL,
    "expression" TEXT NOT NULL DEFAULT '',
    "target" TEXT NOT NULL,
    "sample" TEXT NOT NULL,
    "src_done" INTEGER NOT NULL,
    "leaving" BOOLEAN NOT NULL DEFAULT false,
    "created_ms" INTEGER NOT NULL,
    "created_by" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "errlog_moved" (
    "former_id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "errlog_id" INTEGER NOT NULL,
    "alias_id" INTEGER NOT NULL,
    "saved" TEXT NOT NULL,
    "moved_ms" INTEGER NOT NULL
);

-- CreateTable
CREATE TABLE "errlog_history" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "errlog_id" INTEGER NOT NULL,
    "time_ms" INTEGER NOT NULL,
    "action" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "other_id" INTEGER NOT NULL,
    "log" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "errlog_rule" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "text" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "created_ms" INTEGER NOT NULL,
    "created_by" TEXT NOT NULL
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
