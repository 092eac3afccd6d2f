-- DropForeignKey
ALTER TABLE "errlog_event" DROP CONSTRAINT "errlog_event_errlog_id_fkey";

-- DropIndex
DROP INDEX "errlog_src_app_id_level_fingerprint_key";

-- AlterTable
ALTER TABLE "errlog" ADD COLUMN     "magnitude" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "note" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "state_since" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "text_stale" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "until" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "until_count" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "until_time" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "errlog_chunk" (
    "id" BIGSERIAL NOT NULL,
    "errlog_id" BIGINT NOT NULL,
    "from_time" BIGINT NOT NULL,
    "to_time" BIGINT NOT NULL,
    "n" INTEGER NOT NULL,
    "kept" BOOLEAN NOT NULL DEFAULT false,
    "data" TEXT NOT NULL,

    CONSTRAINT "errlog_chunk_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "errlog_request" (
    "req_id" TEXT NOT NULL,
    "errlog_id" BIGINT NOT NULL,
    "n" INTEGER NOT NULL,

    CONSTRAINT "errlog_request_pkey" PRIMARY KEY ("req_id","errlog_id")
);

-- CreateTable
CREATE TABLE "errlog_minute" (
    "errlog_id" BIGINT NOT NULL,
    "minute" INTEGER NOT NULL,
    "n" BIGINT NOT NULL,

    CONSTRAINT "errlog_minute_pkey" PRIMARY KEY ("errlog_id","minute")
);

-- CreateTable
CREATE TABLE "errlog_rate" (
    "src" INTEGER NOT NULL,
    "level" INTEGER NOT NULL,
    "minute" INTEGER NOT NULL,
    "n" BIGINT NOT NULL,

    CONSTRAINT "errlog_rate_pkey" PRIMARY KEY ("src","minute","level")
);

-- CreateTable
CREATE TABLE "errlog_total" (
    "src" INTEGER NOT NULL,
    "app_id" INTEGER NOT NULL,
    "level" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "n" BIGINT NOT NULL,

    CONSTRAINT "errlog_total_pkey" PRIMARY KEY ("src","app_id","level","state")
);

-- CreateTable
CREATE TABLE "errlog_receipt" (
    "owner" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "body_hash" BYTEA NOT NULL,
    "answer" TEXT NOT NULL,
    "time_ms" BIGINT NOT NULL,

    CONSTRAINT "errlog_receipt_pkey" PRIMARY KEY ("owner","key")
);

-- What is stored already: each occurrence becomes a chunk of its own, and is counted in the new tables.
INSERT INTO "errlog_chunk" ("errlog_id", "from_time", "to_time", "n", "data")
SELECT "errlog_id", "time", "time", 1, json_build_array('', json_build_array(0, 0, 0, "log", "count", "req_id"))::text
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

UPDATE "errlog" SET "state" = 'ongoing', "state_since" = "first_seen", "magnitude" = CASE WHEN "count" < 8 THEN "count"::int ELSE floor(8 * (log(2, "count"::numeric) - 2))::int END;

INSERT INTO "errlog_total" ("src", "app_id", "level", "state", "n")
SELECT "src", "app_id", "level", "state", count(*) FROM "errlog" GROUP BY "src", "app_id", "level", "state";

INSERT INTO "errlog_total" ("src", "app_id", "level", "state", "n")
SELECT -1, "app_id", "level", '', count(DISTINCT "fingerprint") FROM "errlog" GROUP BY "app_id", "level";

-- DropTable
DROP TABLE "errlog_event";

-- CreateIndex
CREATE INDEX "errlog_chunk_errlog_id_id_n_idx" ON "errlog_chunk"("errlog_id", "id", "n");

-- CreateIndex
CREATE INDEX "errlog_chunk_to_time_idx" ON "errlog_chunk"("to_time") WHERE (not kept);

-- CreateIndex
CREATE INDEX "errlog_receipt_time_ms_idx" ON "errlog_receipt"("time_ms");

-- CreateIndex
CREATE INDEX "errlog_first_seen_id_idx" ON "errlog"("first_seen", "id");

-- CreateIndex
CREATE INDEX "errlog_magnitude_id_idx" ON "errlog"("magnitude", "id");

-- CreateIndex
CREATE INDEX "errlog_state_log_time_id_idx" ON "errlog"("state", "log_time", "id") WHERE (state <> 'ongoing');

-- CreateIndex
CREATE INDEX "errlog_state_since_idx" ON "errlog"("state_since") WHERE (state = 'new');

-- CreateIndex
CREATE INDEX "errlog_until_time_idx" ON "errlog"("until_time") WHERE (until_time > 0);

-- CreateIndex
CREATE INDEX "errlog_id_idx" ON "errlog"("id") WHERE (text_stale);

-- CreateIndex
CREATE UNIQUE INDEX "errlog_fingerprint_level_app_id_src_key" ON "errlog"("fingerprint", "level", "app_id", "src");
