// The next key reaches all servers before it is used. The command announces it in the database. Servers on PostgreSQL
// look there every few seconds, and report whether they have the key.
import { hostname } from 'node:os';
import { type Database, statement, type Tx } from '@quarterdeck/core/db';
import { readSetting, storeSetting } from '@quarterdeck/core/sql';

/** Name of the setting with the check of the announced key; missing while none is. */
export const KEY_NEXT = 'secret_key_next';

const REPORT = 'secret_key_server:';
const REPORTS = statement("SELECT value FROM setting WHERE name LIKE 'secret_key_server:%' ORDER BY value");
const REMOVE_REPORTS = statement("DELETE FROM setting WHERE name LIKE 'secret_key_server:%'");

export interface ServerReport {
  readonly host: string;
  readonly has: boolean;
}

/** Announces a key, and removes the reports about the last one. */
export async function announceKey(tx: Tx, check: string): Promise<void> {
  await tx.sql.run(REMOVE_REPORTS);
  await storeSetting(tx, KEY_NEXT, check);
}

/** Reports whether this server has the announced key, if one is. */
export async function reportKey(db: Database, serverId: string, has: (check: string) => boolean): Promise<void> {
  const check = await readSetting(db.read, KEY_NEXT);
  if (check === undefined) return;
  const report: ServerReport = { host: hostname(), has: has(check) };
  await db.write((tx) => storeSetting(tx, REPORT + serverId, JSON.stringify(report)));
}

/** Reads the reports since the announcement. */
export async function readReports(tx: Tx): Promise<readonly ServerReport[]> {
  const rows = await tx.sql.all<{ value: string }>(REPORTS);
  return rows.map(({ value }) => JSON.parse(value) as ServerReport);
}
