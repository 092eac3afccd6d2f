-- AlterTable
ALTER TABLE "session" ADD COLUMN     "second_factor" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "sso_id" INTEGER;

-- CreateTable
CREATE TABLE "identity" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "last_used_ms" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "identity_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sso_session" (
    "id" SERIAL NOT NULL,
    "identity_id" INTEGER NOT NULL,
    "provider" TEXT NOT NULL,
    "sid" TEXT NOT NULL DEFAULT '',
    "refresh_token" BYTEA,
    "access_token" BYTEA,
    "due_ms" BIGINT NOT NULL DEFAULT 0,
    "asked_ms" BIGINT NOT NULL DEFAULT 0,
    "created_ms" BIGINT NOT NULL,

    CONSTRAINT "sso_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "device_code" (
    "id" SERIAL NOT NULL,
    "device_hash" BYTEA NOT NULL,
    "user_hash" BYTEA NOT NULL,
    "name" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "network" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "remember" BOOLEAN NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "expire_ms" BIGINT NOT NULL,
    "asked_ms" BIGINT NOT NULL DEFAULT 0,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "session_id" INTEGER,

    CONSTRAINT "device_code_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "identity_user_id_idx" ON "identity"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "identity_issuer_subject_key" ON "identity"("issuer", "subject");

-- CreateIndex
CREATE INDEX "sso_session_identity_id_idx" ON "sso_session"("identity_id");

-- CreateIndex
CREATE UNIQUE INDEX "device_code_device_hash_key" ON "device_code"("device_hash");

-- CreateIndex
CREATE UNIQUE INDEX "device_code_user_hash_key" ON "device_code"("user_hash");

-- CreateIndex
CREATE INDEX "device_code_expire_ms_idx" ON "device_code"("expire_ms");

-- CreateIndex
CREATE INDEX "device_code_network_idx" ON "device_code"("network");

-- CreateIndex
CREATE INDEX "device_code_session_id_idx" ON "device_code"("session_id");

-- CreateIndex
CREATE INDEX "session_sso_id_idx" ON "session"("sso_id");

-- AddForeignKey
ALTER TABLE "identity" ADD CONSTRAINT "identity_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sso_session" ADD CONSTRAINT "sso_session_identity_id_fkey" FOREIGN KEY ("identity_id") REFERENCES "identity"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "device_code" ADD CONSTRAINT "device_code_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "session"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_sso_id_fkey" FOREIGN KEY ("sso_id") REFERENCES "sso_session"("id") ON DELETE CASCADE ON UPDATE CASCADE;
