-- AlterTable
ALTER TABLE "agent" ADD COLUMN     "change_seq" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "agent_change" ADD COLUMN     "change_id" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "has_diff" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "name" TEXT NOT NULL DEFAULT '';

-- CreateTable
CREATE TABLE "agent_change_diff" (
    "change_id" BIGINT NOT NULL,
    "diff" TEXT NOT NULL,

    CONSTRAINT "agent_change_diff_pkey" PRIMARY KEY ("change_id")
);

-- AddForeignKey
ALTER TABLE "agent_change_diff" ADD CONSTRAINT "agent_change_diff_change_id_fkey" FOREIGN KEY ("change_id") REFERENCES "agent_change"("id") ON DELETE CASCADE ON UPDATE CASCADE;
