-- AlterTable
ALTER TABLE "webhook" ADD COLUMN     "gone_ms" BIGINT NOT NULL DEFAULT 0;
