-- CreateTable
CREATE TABLE "ledger" (
    "src" INTEGER NOT NULL,
    "minute" INTEGER NOT NULL,
    "stage" TEXT NOT NULL,
    "n" BIGINT NOT NULL,

    CONSTRAINT "ledger_pkey" PRIMARY KEY ("src","minute","stage")
);

-- CreateTable
CREATE TABLE "ledger_gap" (
    "src" INTEGER NOT NULL,
    "minute" INTEGER NOT NULL,
    "stage" TEXT NOT NULL,
    "from_time" BIGINT NOT NULL,
    "to_time" BIGINT NOT NULL,

    CONSTRAINT "ledger_gap_pkey" PRIMARY KEY ("src","minute","stage")
);

-- CreateTable
CREATE TABLE "ledger_batch" (
    "agent_id" INTEGER NOT NULL,
    "spool" TEXT NOT NULL,
    "number" BIGINT NOT NULL,
    "read" BIGINT NOT NULL,
    "dropped" TEXT NOT NULL,
    "time" BIGINT NOT NULL,

    CONSTRAINT "ledger_batch_pkey" PRIMARY KEY ("agent_id")
);

-- CreateIndex
CREATE INDEX "ledger_minute_idx" ON "ledger"("minute");

-- CreateIndex
CREATE INDEX "ledger_gap_minute_idx" ON "ledger_gap"("minute");

-- CreateIndex
CREATE INDEX "ledger_batch_time_idx" ON "ledger_batch"("time");

-- Lines from before the update are not in the ledger.
INSERT INTO "setting" ("name", "value") VALUES ('ledger_from', CAST(CAST(extract(epoch FROM now()) AS bigint) AS text));
