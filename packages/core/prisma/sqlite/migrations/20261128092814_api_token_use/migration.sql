-- AlterTable: existing tokens are counted from now on.
ALTER TABLE "api_token" ADD COLUMN "uses_since_ms" INTEGER NOT NULL DEFAULT 0;
UPDATE "api_token" SET "uses_since_ms" = unixepoch() * 1000;

-- CreateTable
CREATE TABLE "api_token_use" (
    "token_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "last_ms" INTEGER NOT NULL,

    PRIMARY KEY ("token_id", "name"),
    CONSTRAINT "api_token_use_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "api_token" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "api_token_use_last_ms_idx" ON "api_token_use"("last_ms");
