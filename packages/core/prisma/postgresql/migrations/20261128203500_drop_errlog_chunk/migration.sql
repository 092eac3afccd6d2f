-- Lines of version 0.1 were converted in the background. A database in which some are left is not changed: this fails.
CREATE TABLE "errlog_chunk_check" (
    "n" INTEGER NOT NULL CONSTRAINT "lines_of_version_0_1_are_not_converted_yet" CHECK ("n" = 0)
);
INSERT INTO "errlog_chunk_check" ("n") SELECT count(*) FROM "errlog_chunk";
DROP TABLE "errlog_chunk_check";

DROP TABLE "errlog_chunk";

-- Groups of version 0.1 took the service of the line that came next. The others have none.
UPDATE "errlog" SET "service" = '' WHERE "service" IS NULL;
