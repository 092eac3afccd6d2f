-- Segments in partitions by the ids of their lines, which are in the order of arrival (decision 066). The bounds are set
-- when a day has ended. Ids that belong to no partition do not exist: the first one has no lower bound, the last one no
-- upper bound. The rows stay where they are.
ALTER TABLE "errlog_segment" RENAME TO "errlog_segment_from_0";
ALTER INDEX "errlog_segment_pkey" RENAME TO "errlog_segment_from_0_pkey";
ALTER INDEX "errlog_segment_to_time_idx" RENAME TO "errlog_segment_from_0_to_time_idx";
ALTER INDEX "errlog_segment_id_idx" RENAME TO "errlog_segment_from_0_id_idx";

CREATE TABLE "errlog_segment" (LIKE "errlog_segment_from_0" INCLUDING DEFAULTS INCLUDING STORAGE)
PARTITION BY RANGE ("id");
ALTER TABLE "errlog_segment" ADD CONSTRAINT "errlog_segment_pkey" PRIMARY KEY ("id");
CREATE INDEX "errlog_segment_to_time_idx" ON "errlog_segment"("to_time");
CREATE INDEX "errlog_segment_id_idx" ON "errlog_segment"("id") WHERE (not packed);

-- Takes the indexes of the partition over, and reads no row: every id is within the bounds.
ALTER TABLE "errlog_segment" ATTACH PARTITION "errlog_segment_from_0" FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
