-- AlterTable
ALTER TABLE "session" ADD COLUMN     "confirmed_ms" BIGINT NOT NULL DEFAULT 0;
