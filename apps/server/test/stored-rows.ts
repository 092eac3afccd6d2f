// All stored rows as text, for tests that compare it before and after a request.
import { statement } from '@quarterdeck/core/db';
import { expect } from 'vitest';
import type { TestApi } from './start-api.ts';

/**
 * Tables that change on their own: events, which follow a moment later, failed sign-ins, counts of refused lines, and
 * on PostgreSQL which server does a job.
 */
const BY_THE_WAY = ['event', 'throttle', 'ledger', 'ledger_gap', 'lease'];
/** The last use of a credential is stored a moment later, and the search index follows the texts. */
const LATER = ['last_used_ms', 'last_address', 'last_client', 'text_stale'];
/** The setting with the newest group that subscribers know of. */
const ANNOUNCED = 'errlog_announced';
const SEARCH = 'errlog_search';

/** Reads all stored rows as text, without those that change on their own. */
export async function storedRows(api: TestApi): Promise<string> {
  // Later, packing and other jobs would change rows between two looks at them.
  await api.server.jobs.runAll();
  const { sql } = api.server.deps.db.read;
  const names = await sql.all<{ name: string }>(
    statement({
      sqlite: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      postgresql: "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
    }),
  );
  const isData = (name: string) => !(BY_THE_WAY.includes(name) || name.startsWith('_') || name.startsWith(SEARCH));
  const tables = names.map(({ name }) => name).filter(isData);
  expect(tables).toContain('api_token');
  const rows = await Promise.all(
    tables.map((name) => sql.all<Record<string, unknown>>(statement(`SELECT * FROM "${name}"`))),
  );
  const text = (row: Record<string, unknown>) => {
    if (row['name'] === ANNOUNCED) return '';
    for (const column of LATER) if (column in row) row[column] = undefined;
    return JSON.stringify(row);
  };
  // The order is not defined.
  return tables.map((name, i) => [name, ...(rows[i] ?? []).map(text).sort()].join('\n')).join('\n');
}
