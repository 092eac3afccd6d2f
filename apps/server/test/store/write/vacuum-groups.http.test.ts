// The vacuum after a flood of new groups on PostgreSQL.

import { onPostgres } from '@quarterdeck/core/sql';
import { expect, it } from 'vitest';
import { groupVacuum } from '../../../../../packages/store/src/write/vacuum-groups.ts';
import { openStore } from '../../open-store.ts';
import { DIALECT } from '../../start-api.ts';

const SOURCE = onPostgres(
  `INSERT INTO source (node_type, node_id, name, address, created_ms) VALUES (0, 1, 'web1', '', 1) RETURNING id`,
);
const GROUPS = onPostgres(
  `INSERT INTO errlog (src, node_type, app_id, level, fingerprint, log, count, first_seen, log_time)
   SELECT $1::int, 0, 0, 1, i::text, '', 1, 1, i FROM generate_series(1, 3000) i`,
);
const LEARN = onPostgres('UPDATE errlog SET text_stale = false');
/** Statistics are kept for up to ten seconds in the process that made them. */
const FLUSH = onPostgres('SELECT pg_stat_force_next_flush()');
const MARKED = onPostgres(
  `SELECT relpages > 0 AND relpages = relallvisible AS pages,
    (SELECT count(*) FROM pg_stats WHERE tablename = 'errlog') > 0 AS columns FROM pg_class WHERE relname = 'errlog'`,
);

it.runIf(DIALECT === 'postgresql')('marks all pages and makes statistics, once', async () => {
  await using store = await openStore();
  const { db } = store;
  const vacuum = groupVacuum(db, 1_000);
  expect(await vacuum()).toBe(false);
  await db.write(async ({ sql }) => {
    const source = await sql.get<{ id: number }>(SOURCE);
    await sql.run(GROUPS, source?.id ?? 0);
    await sql.run(LEARN);
    await sql.all(FLUSH);
  });
  expect(await groupVacuum(db)()).toBe(false);
  expect(await vacuum()).toBe(true);
  expect(await db.read.sql.get(MARKED)).toEqual({ pages: 1, columns: 1 });
  expect(await vacuum()).toBe(false);
});

it.runIf(DIALECT === 'sqlite')('is no matter of SQLite', async () => {
  await using store = await openStore();
  expect(await groupVacuum(store.db, 0)()).toBe(false);
});
