-- Filters of segments that are packed from now on.
CREATE TABLE "errlog_segment_filter" (
    "row" INTEGER NOT NULL PRIMARY KEY,
    "segment" INTEGER NOT NULL,
    "pieces" BLOB NOT NULL
);
