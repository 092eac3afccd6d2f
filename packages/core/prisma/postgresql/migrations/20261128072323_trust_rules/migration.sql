-- AlterTable
ALTER TABLE "api_token" ADD COLUMN     "trust_rule_id" INTEGER;

-- CreateTable
CREATE TABLE "trust_rule" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "audience" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "scopes" TEXT NOT NULL,
    "allowed_cidrs" TEXT NOT NULL DEFAULT '',
    "created_ms" BIGINT NOT NULL,
    "modified_ms" BIGINT NOT NULL,
    "last_used_ms" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "trust_rule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "exchanged_token" (
    "digest" TEXT NOT NULL,
    "expire_ms" BIGINT NOT NULL,

    CONSTRAINT "exchanged_token_pkey" PRIMARY KEY ("digest")
);

-- CreateIndex
CREATE INDEX "trust_rule_issuer_idx" ON "trust_rule"("issuer");

-- CreateIndex
CREATE INDEX "trust_rule_user_id_idx" ON "trust_rule"("user_id");

-- CreateIndex
CREATE INDEX "exchanged_token_expire_ms_idx" ON "exchanged_token"("expire_ms");

-- CreateIndex
CREATE INDEX "api_token_trust_rule_id_idx" ON "api_token"("trust_rule_id");

-- AddForeignKey
ALTER TABLE "api_token" ADD CONSTRAINT "api_token_trust_rule_id_fkey" FOREIGN KEY ("trust_rule_id") REFERENCES "trust_rule"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trust_rule" ADD CONSTRAINT "trust_rule_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
