-- Columns are added, never by making a table anew: dropping the old one would take the rows that refer to it along.

-- CreateTable
CREATE TABLE "recovery_code" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "user_id" INTEGER NOT NULL,
    "code_hash" BLOB NOT NULL,
    CONSTRAINT "recovery_code_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "known_address" (
    "user_id" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "last_ms" INTEGER NOT NULL,

    PRIMARY KEY ("user_id", "address"),
    CONSTRAINT "known_address_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "throttle" (
    "key" TEXT NOT NULL PRIMARY KEY,
    "failures" INTEGER NOT NULL,
    "since_ms" INTEGER NOT NULL,
    "blocked_until_ms" INTEGER NOT NULL DEFAULT 0
);

-- CreateTable
CREATE TABLE "audit" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "time_ms" INTEGER NOT NULL,
    "action" TEXT NOT NULL,
    "actor_kind" TEXT NOT NULL,
    "actor_id" INTEGER NOT NULL DEFAULT 0,
    "actor_name" TEXT NOT NULL DEFAULT '',
    "credential" TEXT NOT NULL DEFAULT '',
    "address" TEXT NOT NULL DEFAULT '',
    "request_id" TEXT NOT NULL DEFAULT '',
    "target_kind" TEXT NOT NULL DEFAULT '',
    "target_id" INTEGER NOT NULL DEFAULT 0,
    "detail" TEXT NOT NULL DEFAULT '{}',
    "previous" TEXT NOT NULL,
    "hash" TEXT NOT NULL
);

-- AlterTable
ALTER TABLE "user" ADD COLUMN "totp_seed" BLOB;
ALTER TABLE "user" ADD COLUMN "totp_since_ms" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "user" ADD COLUMN "totp_last_step" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "session" ADD COLUMN "last_used_ms" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "api_token" ADD COLUMN "scopes" TEXT NOT NULL DEFAULT '';
ALTER TABLE "api_token" ADD COLUMN "disabled" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "api_token" ADD COLUMN "allowed_cidrs" TEXT NOT NULL DEFAULT '';
ALTER TABLE "api_token" ADD COLUMN "last_used_ms" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "api_token" ADD COLUMN "last_address" TEXT NOT NULL DEFAULT '';
ALTER TABLE "api_token" ADD COLUMN "last_client" TEXT NOT NULL DEFAULT '';
ALTER TABLE "api_token" ADD COLUMN "previous_hash" BLOB;
ALTER TABLE "api_token" ADD COLUMN "grace_until_ms" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "api_token" ADD COLUMN "warned_days" INTEGER NOT NULL DEFAULT 0;

-- CreateIndex
CREATE UNIQUE INDEX "api_token_previous_hash_key" ON "api_token"("previous_hash");

-- CreateIndex
CREATE INDEX "api_token_expire_ms_idx" ON "api_token"("expire_ms");

-- CreateIndex
CREATE UNIQUE INDEX "recovery_code_code_hash_key" ON "recovery_code"("code_hash");

-- CreateIndex
CREATE INDEX "recovery_code_user_id_idx" ON "recovery_code"("user_id");

-- CreateIndex
CREATE INDEX "throttle_since_ms_idx" ON "throttle"("since_ms");

-- CreateIndex
CREATE INDEX "audit_action_id_idx" ON "audit"("action", "id");

-- CreateIndex
CREATE INDEX "audit_actor_id_id_idx" ON "audit"("actor_id", "id");

-- CreateIndex
CREATE INDEX "audit_time_ms_idx" ON "audit"("time_ms");
