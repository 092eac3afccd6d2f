-- CreateTable
CREATE TABLE "identity" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "user_id" INTEGER NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "created_ms" INTEGER NOT NULL,
    "last_used_ms" INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT "identity_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "sso_session" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "identity_id" INTEGER NOT NULL,
    "provider" TEXT NOT NULL,
    "sid" TEXT NOT NULL DEFAULT '',
    "refresh_token" BLOB,
    "access_token" BLOB,
    "due_ms" INTEGER NOT NULL DEFAULT 0,
    "asked_ms" INTEGER NOT NULL DEFAULT 0,
    "created_ms" INTEGER NOT NULL,
    CONSTRAINT "sso_session_identity_id_fkey" FOREIGN KEY ("identity_id") REFERENCES "identity" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "device_code" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "device_hash" BLOB NOT NULL,
    "user_hash" BLOB NOT NULL,
    "name" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "network" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "remember" BOOLEAN NOT NULL,
    "created_ms" INTEGER NOT NULL,
    "expire_ms" INTEGER NOT NULL,
    "asked_ms" INTEGER NOT NULL DEFAULT 0,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "session_id" INTEGER,
    CONSTRAINT "device_code_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "session" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- AlterTable
ALTER TABLE "session" ADD COLUMN "sso_id" INTEGER CONSTRAINT "session_sso_id_fkey" REFERENCES "sso_session" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "session" ADD COLUMN "second_factor" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "session_sso_id_idx" ON "session"("sso_id");

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
