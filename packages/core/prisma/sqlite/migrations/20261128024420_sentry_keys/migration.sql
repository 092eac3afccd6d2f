-- AlterTable
ALTER TABLE "api_token" ADD COLUMN "kind" TEXT NOT NULL DEFAULT 'api';
