-- The list of agents is one query again (decision 030): nothing needs to know which rows changed.
DROP TRIGGER "agent_revision" ON "agent";
DROP FUNCTION "agent_revision"();

-- AlterTable
ALTER TABLE "agent" DROP COLUMN "revision";

-- DropIndex
DROP INDEX "agent_created_ms_id_idx";

-- CreateIndex
CREATE INDEX "agent_created_ms_id_is_deleted_idx" ON "agent"("created_ms", "id", "is_deleted");
