-- CreateTable
CREATE TABLE "ledger" (
    "src" INTEGER NOT NULL,
    "minute" INTEGER NOT NULL,
    "stage" TEXT NOT NULL,
    "n" INTEGER NOT NULL,

    PRIMARY KEY ("src", "minute", "stage")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "ledger_gap" (
    "src" INTEGER NOT NULL,
    "minute" INTEGER NOT NULL,
    "stage" TEXT NOT NULL,
    "from_time" INTEGER NOT NULL,
    "to_time" INTEGER NOT NULL,

    PRIMARY KEY ("src", "minute", "stage")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "ledger_batch" (
    "agent_id" INTEGER NOT NULL PRIMARY KEY,
    "spool" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "read" INTEGER NOT NULL,
    "dropped" TEXT NOT NULL,
    "time" INTEGER NOT NULL
);

-- CreateIndex
CREATE INDEX "ledger_minute_idx" ON "ledger"("minute");

-- CreateIndex
CREATE INDEX "ledger_gap_minute_idx" ON "ledger_gap"("minute");

-- CreateIndex
CREATE INDEX "ledger_batch_time_idx" ON "ledger_batch"("time");

-- Lines from before the update are not in the ledger.
INSERT INTO "setting" ("name", "value") VALUES ('ledger_from', CAST(unixepoch() AS TEXT));
