-- AlterTable
ALTER TABLE "source" ADD COLUMN "name_key" TEXT NOT NULL DEFAULT '';
ALTER TABLE "source" ADD COLUMN "host" TEXT NOT NULL DEFAULT '';

-- CreateTable
CREATE TABLE "agent_name" (
    "agent_id" INTEGER NOT NULL,
    "from_line" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "name_key" TEXT NOT NULL,

    PRIMARY KEY ("agent_id", "from_line")
);

-- CreateIndex
CREATE INDEX "agent_name_name_key_idx" ON "agent_name"("name_key");

-- CreateIndex
CREATE INDEX "source_name_key_idx" ON "source"("name_key");

-- Names are compared by their keys.
UPDATE "source" SET "name_key" = lower("name");

-- Lines stored before have the present name of their agent. Of several senders with a name the oldest agent that is not
-- deleted has it, and the others a mark.
INSERT INTO "agent_name" ("agent_id", "from_line", "name", "name_key")
SELECT "id", 0, "name", lower("name") FROM (
  SELECT a."id", CASE
    WHEN NOT a."is_deleted" AND s."name_key" IS NULL
      AND row_number() OVER (PARTITION BY lower(a."hostname") ORDER BY a."is_deleted", a."id") = 1
    THEN a."hostname" ELSE a."hostname" || ' (agent ' || a."id" || ')' END AS "name"
  FROM "agent" a
  LEFT JOIN (SELECT DISTINCT "name_key" FROM "source" WHERE "agent_id" = 0) s ON s."name_key" = lower(a."hostname")
) AS named;
