-- AlterTable
-- Columns are added in place: making the tables anew would delete the rows that refer to them.
ALTER TABLE "agent" ADD COLUMN "change_seq" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "agent_change" ADD COLUMN "name" TEXT NOT NULL DEFAULT '';
ALTER TABLE "agent_change" ADD COLUMN "change_id" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "agent_change" ADD COLUMN "has_diff" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "agent_change_diff" (
    "change_id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "diff" TEXT NOT NULL,
    CONSTRAINT "agent_change_diff_change_id_fkey" FOREIGN KEY ("change_id") REFERENCES "agent_change" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
