-- AlterTable
ALTER TABLE "errlog" ADD COLUMN "magnitude" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "errlog" ADD COLUMN "state_since" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "errlog" ADD COLUMN "until" TEXT NOT NULL DEFAULT '';
ALTER TABLE "errlog" ADD COLUMN "until_time" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "errlog" ADD COLUMN "until_count" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "errlog" ADD COLUMN "note" TEXT NOT NULL DEFAULT '';
ALTER TABLE "errlog" ADD COLUMN "text_stale" BOOLEAN NOT NULL DEFAULT true;

-- CreateTable
CREATE TABLE "errlog_chunk" (
    "id" INTEGER NOT NULL PRIMARY KEY,
    "errlog_id" INTEGER NOT NULL,
    "from_time" INTEGER NOT NULL,
    "to_time" INTEGER NOT NULL,
    "n" INTEGER NOT NULL,
    "kept" BOOLEAN NOT NULL DEFAULT false,
    "data" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "errlog_request" (
    "req_id" TEXT NOT NULL,
    "errlog_id" INTEGER NOT NULL,
    "n" INTEGER NOT NULL,

    PRIMARY KEY ("req_id", "errlog_id")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "errlog_minute" (
    "errlog_id" INTEGER NOT NULL,
    "minute" INTEGER NOT NULL,
    "n" INTEGER NOT NULL,

    PRIMARY KEY ("errlog_id", "minute")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "errlog_rate" (
    "src" INTEGER NOT NULL,
    "level" INTEGER NOT NULL,
    "minute" INTEGER NOT NULL,
    "n" INTEGER NOT NULL,

    PRIMARY KEY ("src", "minute", "level")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "errlog_total" (
    "src" INTEGER NOT NULL,
    "app_id" INTEGER NOT NULL,
    "level" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "n" INTEGER NOT NULL,

    PRIMARY KEY ("src", "app_id", "level", "state")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "errlog_receipt" (
    "owner" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "body_hash" BLOB NOT NULL,
    "answer" TEXT NOT NULL,
    "time_ms" INTEGER NOT NULL,

    PRIMARY KEY ("owner", "key")
);

-- What is stored already: each occurrence becomes a chunk of its own, and is counted in the new tables.
INSERT INTO "errlog_chunk" ("errlog_id", "from_time", "to_time", "n", "data")
SELECT "errlog_id", "time", "time", 1, json_array('', json_array(0, 0, 0, "log", "count", "req_id"))
FROM "errlog_event" ORDER BY "id";

INSERT INTO "errlog_request" ("req_id", "errlog_id", "n")
SELECT "req_id", "errlog_id", count(*) FROM "errlog_event" WHERE "req_id" <> '' GROUP BY "req_id", "errlog_id";

INSERT INTO "errlog_minute" ("errlog_id", "minute", "n")
SELECT "errlog_id", "time" / 60, sum("count") FROM "errlog_event" GROUP BY "errlog_id", "time" / 60;

INSERT INTO "errlog_rate" ("src", "level", "minute", "n")
SELECT e."src", e."level", m."minute", sum(m."n") FROM "errlog_minute" m JOIN "errlog" e ON e."id" = m."errlog_id"
GROUP BY e."src", e."level", m."minute";

INSERT INTO "errlog_rate" ("src", "level", "minute", "n")
SELECT -1, "level", "minute", sum("n") FROM "errlog_rate" GROUP BY "level", "minute";

UPDATE "errlog" SET "state" = 'ongoing', "state_since" = "first_seen", "magnitude" = CASE WHEN "count" < 8 THEN "count" ELSE CAST(8 * (log2("count") - 2) AS INTEGER) END;

INSERT INTO "errlog_total" ("src", "app_id", "level", "state", "n")
SELECT "src", "app_id", "level", "state", count(*) FROM "errlog" GROUP BY "src", "app_id", "level", "state";

INSERT INTO "errlog_total" ("src", "app_id", "level", "state", "n")
SELECT -1, "app_id", "level", '', count(DISTINCT "fingerprint") FROM "errlog" GROUP BY "app_id", "level";

-- DropTable
DROP TABLE "errlog_event";

-- DropIndex
DROP INDEX "errlog_src_app_id_level_fingerprint_key";

-- CreateIndex
CREATE INDEX "errlog_first_seen_id_idx" ON "errlog"("first_seen", "id");
CREATE INDEX "errlog_magnitude_id_idx" ON "errlog"("magnitude", "id");
CREATE INDEX "errlog_state_log_time_id_idx" ON "errlog"("state", "log_time", "id") WHERE state <> 'ongoing';
CREATE INDEX "errlog_state_since_idx" ON "errlog"("state_since") WHERE state = 'new';
CREATE INDEX "errlog_until_time_idx" ON "errlog"("until_time") WHERE until_time > 0;
CREATE INDEX "errlog_id_idx" ON "errlog"("id") WHERE text_stale;
CREATE UNIQUE INDEX "errlog_fingerprint_level_app_id_src_key" ON "errlog"("fingerprint", "level", "app_id", "src");

-- CreateIndex
CREATE INDEX "errlog_chunk_errlog_id_id_n_idx" ON "errlog_chunk"("errlog_id", "id", "n");

-- CreateIndex
CREATE INDEX "errlog_chunk_to_time_idx" ON "errlog_chunk"("to_time") WHERE not kept;

-- CreateIndex
CREATE INDEX "errlog_receipt_time_ms_idx" ON "errlog_receipt"("time_ms");
