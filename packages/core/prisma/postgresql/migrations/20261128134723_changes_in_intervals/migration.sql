-- AlterTable
ALTER TABLE "agent_change" ADD COLUMN "since_ms" BIGINT NOT NULL DEFAULT 0;
