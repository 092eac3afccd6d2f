-- AlterTable
ALTER TABLE "api_token" ADD COLUMN     "allowed_cidrs" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "disabled" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "grace_until_ms" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "last_address" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "last_client" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "last_used_ms" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "previous_hash" BYTEA,
ADD COLUMN     "scopes" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "warned_days" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "session" ADD COLUMN     "last_used_ms" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "user" ADD COLUMN     "totp_last_step" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "totp_seed" BYTEA,
ADD COLUMN     "totp_since_ms" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "recovery_code" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "code_hash" BYTEA NOT NULL,

    CONSTRAINT "recovery_code_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "known_address" (
    "user_id" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "last_ms" BIGINT NOT NULL,

    CONSTRAINT "known_address_pkey" PRIMARY KEY ("user_id","address")
);

-- CreateTable
CREATE TABLE "throttle" (
    "key" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "since_ms" BIGINT NOT NULL,
    "blocked_until_ms" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "throttle_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "audit" (
    "id" SERIAL NOT NULL,
    "time_ms" BIGINT NOT NULL,
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
    "hash" TEXT NOT NULL,

    CONSTRAINT "audit_pkey" PRIMARY KEY ("id")
);

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

-- CreateIndex
CREATE UNIQUE INDEX "api_token_previous_hash_key" ON "api_token"("previous_hash");

-- CreateIndex
CREATE INDEX "api_token_expire_ms_idx" ON "api_token"("expire_ms");

-- AddForeignKey
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "known_address" ADD CONSTRAINT "known_address_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
