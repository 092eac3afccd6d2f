-- AlterTable
ALTER TABLE "session" ADD COLUMN "confirmed_ms" INTEGER NOT NULL DEFAULT 0;
