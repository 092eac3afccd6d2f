// Reads the addresses of changes from outside.
import { type Database, statement } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';

const URLS = statement((dialect) => `SELECT id, url FROM change WHERE ${inJson(dialect, 'id')}`);

/** Returns the addresses of some changes by their ids; 0 is none. */
export async function changeUrls(db: Database, ids: readonly number[]): Promise<Map<number, string>> {
  const known = [...new Set(ids)].filter((id) => id > 0);
  if (known.length === 0) return new Map();
  const rows = await db.read.sql.all<{ id: number; url: string }>(URLS, JSON.stringify(known));
  return new Map(rows.map(({ id, url }) => [id, url]));
}
