-- The key of the counts gets the service. No group has one yet.
CREATE TABLE "new_errlog_total" (
    "src" INTEGER NOT NULL,
    "app_id" INTEGER NOT NULL,
    "level" INTEGER NOT NULL,
    "service" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "n" INTEGER NOT NULL,

    PRIMARY KEY ("src", "app_id", "level", "service", "state")
);
INSERT INTO "new_errlog_total" ("src", "app_id", "level", "service", "state", "n")
SELECT "src", "app_id", "level", '', "state", "n" FROM "errlog_total";
DROP TABLE "errlog_total";
ALTER TABLE "new_errlog_total" RENAME TO "errlog_total";
