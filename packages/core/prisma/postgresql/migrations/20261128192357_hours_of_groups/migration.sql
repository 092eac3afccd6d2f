-- Occurrences of a group by the minute, a row for each hour (decision 111). A value is `n * 60 + minute of the hour`.
CREATE TABLE "errlog_hour" (
    "errlog_id" BIGINT NOT NULL,
    "hour" INTEGER NOT NULL,
    "minutes" TEXT NOT NULL,

    CONSTRAINT "errlog_hour_pkey" PRIMARY KEY ("errlog_id","hour")
);

-- Rows grow until their hour is over. No index has the text: with free space in its page, a new version of a row needs
-- no entry in an index.
ALTER TABLE "errlog_hour" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);

INSERT INTO "errlog_hour" ("errlog_id", "hour", "minutes")
SELECT "errlog_id", "minute" / 60, string_agg(("n" * 60 + "minute" % 60)::text, ',') FROM "errlog_minute"
GROUP BY "errlog_id", "minute" / 60;

DROP TABLE "errlog_minute";
