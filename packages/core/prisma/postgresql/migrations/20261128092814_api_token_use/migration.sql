-- AlterTable: existing tokens are counted from now on.
ALTER TABLE "api_token" ADD COLUMN     "uses_since_ms" BIGINT NOT NULL DEFAULT 0;
UPDATE "api_token" SET "uses_since_ms" = CAST(extract(epoch FROM now()) * 1000 AS BIGINT);

-- CreateTable
CREATE TABLE "api_token_use" (
    "token_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "count" BIGINT NOT NULL,
    "last_ms" BIGINT NOT NULL,

    CONSTRAINT "api_token_use_pkey" PRIMARY KEY ("token_id","name")
);

-- CreateIndex
CREATE INDEX "api_token_use_last_ms_idx" ON "api_token_use"("last_ms");

-- AddForeignKey
ALTER TABLE "api_token_use" ADD CONSTRAINT "api_token_use_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "api_token"("id") ON DELETE CASCADE ON UPDATE CASCADE;
