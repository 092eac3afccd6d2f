-- Occurrences of a group by the minute, a row for each hour (decision 111). A value is `n * 60 + minute of the hour`.
CREATE TABLE "errlog_hour" (
    "errlog_id" INTEGER NOT NULL,
    "hour" INTEGER NOT NULL,
    "minutes" TEXT NOT NULL,

    PRIMARY KEY ("errlog_id", "hour")
) WITHOUT ROWID;

INSERT INTO "errlog_hour" ("errlog_id", "hour", "minutes")
SELECT "errlog_id", "minute" / 60, group_concat("n" * 60 + "minute" % 60) FROM "errlog_minute"
GROUP BY "errlog_id", "minute" / 60;

DROP TABLE "errlog_minute";
