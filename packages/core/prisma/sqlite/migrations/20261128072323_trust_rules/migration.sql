-- CreateTable
CREATE TABLE "trust_rule" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "user_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "audience" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "scopes" TEXT NOT NULL,
    "allowed_cidrs" TEXT NOT NULL DEFAULT '',
    "created_ms" INTEGER NOT NULL,
    "modified_ms" INTEGER NOT NULL,
    "last_used_ms" INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT "trust_rule_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "exchanged_token" (
    "digest" TEXT NOT NULL PRIMARY KEY,
    "expire_ms" INTEGER NOT NULL
);

-- AlterTable
ALTER TABLE "api_token" ADD COLUMN "trust_rule_id" INTEGER CONSTRAINT "api_token_trust_rule_id_fkey" REFERENCES "trust_rule" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateIndex
CREATE INDEX "api_token_trust_rule_id_idx" ON "api_token"("trust_rule_id");

-- CreateIndex
CREATE INDEX "trust_rule_issuer_idx" ON "trust_rule"("issuer");

-- CreateIndex
CREATE INDEX "trust_rule_user_id_idx" ON "trust_rule"("user_id");

-- CreateIndex
CREATE INDEX "exchanged_token_expire_ms_idx" ON "exchanged_token"("expire_ms");
