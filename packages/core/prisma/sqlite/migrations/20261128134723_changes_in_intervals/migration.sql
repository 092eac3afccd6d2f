-- AlterTable
ALTER TABLE "agent_change" ADD COLUMN "since_ms" INTEGER NOT NULL DEFAULT 0;
