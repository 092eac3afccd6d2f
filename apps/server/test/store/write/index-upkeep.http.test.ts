// Indexes of groups on PostgreSQL whose pages are nearly empty.

import { onPostgres } from '@quarterdeck/core/sql';
import { expect, it } from 'vitest';
import { hasSparseIndex, rebuildIndexes } from '../../../../../packages/store/src/write/index-upkeep.ts';
import { openStore } from '../../open-store.ts';
import { DIALECT } from '../../start-api.ts';

const never = () => false;
const SIZE = onPostgres("SELECT pg_relation_size('errlog_log_time_id_level_src_app_id_service_state_idx') AS bytes");
const INVALID = onPostgres("SELECT count(*) AS n FROM pg_index WHERE indrelid = 'errlog'::regclass AND NOT indisvalid");
const CUT_OFF = onPostgres("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'errlog_level_ccnew'::regclass");
const GROUPS = onPostgres(
  `INSERT INTO errlog (src, node_type, app_id, level, fingerprint, log, count, first_seen, log_time)
   SELECT $1::int, 0, 0, 1, i::text, '', 1, 1, i FROM generate_series(1, 30000) i`,
);
const SOURCE = onPostgres(
  `INSERT INTO source (node_type, node_id, name, address, created_ms) VALUES (0, 1, 'web1', '', 1) RETURNING id`,
);

it.runIf(DIALECT === 'postgresql')('are rebuilt, and those of a rebuild that was cut off are removed', async () => {
  await using store = await openStore();
  const { db } = store;
  await db.write(async ({ sql }) => {
    const source = await sql.get<{ id: number }>(SOURCE);
    await sql.run(GROUPS, source?.id ?? 0);
  });
  const bytes = async () => (await db.read.sql.get<{ bytes: number }>(SIZE))?.bytes ?? 0;
  const before = await bytes();
  expect(before).toBeGreaterThan(1_000_000);
  await db.write(({ sql }) => sql.run(onPostgres('DELETE FROM errlog WHERE log_time % 1000 > 0')));
  await db.write(async ({ sql }) => {
    await sql.run(onPostgres('CREATE INDEX errlog_level_ccnew ON errlog (level)'));
    await sql.run(CUT_OFF);
  });
  expect(await hasSparseIndex(db)).toBe(false);
  expect(await hasSparseIndex(db, 500_000)).toBe(true);
  expect(await rebuildIndexes(db, never, 500_000)).toContain('errlog_log_time_id_level_src_app_id_service_state_idx');
  expect(await bytes()).toBeLessThan(before / 10);
  expect(await db.read.sql.get(INVALID)).toEqual({ n: 0 });
  expect(await hasSparseIndex(db, 500_000)).toBe(false);
  expect(await rebuildIndexes(db, never, 500_000)).toEqual([]);
});
