-- Storage parameters (decision 066). By default a vacuum waits for a fifth of the rows of a table, and statistics for a
-- tenth: in a table that keeps months, that is weeks of dead rows.

-- Rows that are added to again and again until their minute is over. No index has the number: with free space in its
-- page, a new version of a row needs no entry in an index.
ALTER TABLE "errlog_minute" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE "errlog_rate" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE "ledger" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);

-- Few rows that nearly every batch or request updates: pages with much free space.
ALTER TABLE "errlog_total" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE "setting" SET (fillfactor = 50);
ALTER TABLE "lease" SET (fillfactor = 50);
ALTER TABLE "ledger_batch" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE "session" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE "throttle" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- Every update changes a column that an index has: only a vacuum makes its space free.
ALTER TABLE "errlog" SET (autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE "errlog_search" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
ALTER TABLE "agent" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);

-- Rows that are added at one end and deleted at the other.
ALTER TABLE "errlog_receipt" SET (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE "event" SET (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE "webhook_delivery" SET (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE "agent_change" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- Fresh segments live for a minute. Their content is in the table of large values, which has limits of its own.
ALTER TABLE "errlog_segment_from_0" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02,
  toast.autovacuum_vacuum_scale_factor = 0.02);
