// Divides the tables of error logs as a PostgreSQL that distributes would: by hash, each partition stands for a shard.
import type { Tx } from '../../packages/core/src/db/open/index.ts';
import { built } from '../built.ts';

const { openDatabase, statement } = await built('packages/core/dist/db/open/index.js');

/** Number of shards. */
export const SHARDS = 8;

/** Distribution column of each table. All others would be copied to each node. */
const KEYS: Readonly<Record<string, string>> = {
  errlog: 'src',
  errlog_rate: 'src',
  errlog_total: 'src',
  ledger: 'src',
  ledger_gap: 'src',
  // These have no source.
  errlog_hour: 'errlog_id',
  errlog_search: 'id',
  errlog_segment: 'id',
};

const INDEXES = statement(`SELECT pg_get_indexdef(indexrelid) AS text, indisunique AS "isUnique" FROM pg_index
  WHERE indrelid = CAST(CAST(? AS text) AS regclass) ORDER BY indexrelid`);
const SEQUENCES = statement(`SELECT s.relname AS name, a.attname AS "column" FROM pg_depend d
  JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
  JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid WHERE d.refobjid = CAST(CAST(? AS text) AS regclass)`);
const IS_PLAIN = statement("SELECT 1 FROM pg_class WHERE relname = ? AND relkind = 'r'");

/** A unique index of a divided table contains its key. */
const withKey = (text: string, key: string): string =>
  new RegExp(`\\([^)]*\\b${key}\\b`).test(text) ? text : text.replace(/\(([^)]*)\)/, `($1, ${key})`);

const run = ({ sql }: Tx, text: string) => sql.run(statement(text));

async function divide(tx: Tx, table: string, key: string): Promise<void> {
  const indexes = await tx.sql.all<{ text: string; isUnique: number }>(INDEXES, table);
  const sequences = await tx.sql.all<{ name: string; column: string }>(SEQUENCES, table);
  await run(tx, `ALTER TABLE ${table} RENAME TO ${table}_whole`);
  const like = `LIKE ${table}_whole INCLUDING DEFAULTS INCLUDING STORAGE`;
  await run(tx, `CREATE TABLE ${table} (${like}) PARTITION BY HASH (${key})`);
  for (let n = 0; n < SHARDS; n += 1) {
    const values = `FOR VALUES WITH (MODULUS ${SHARDS}, REMAINDER ${n})`;
    await run(tx, `CREATE TABLE ${table}_shard${n} PARTITION OF ${table} ${values}`);
  }
  await run(tx, `INSERT INTO ${table} SELECT * FROM ${table}_whole`);
  for (const { name, column } of sequences) await run(tx, `ALTER SEQUENCE ${name} OWNED BY ${table}.${column}`);
  await run(tx, `DROP TABLE ${table}_whole`);
  for (const { text, isUnique } of indexes) await run(tx, isUnique === 1 ? withKey(text, key) : text);
}

/** Tells whether a table is divided. */
export const isDivided = (table: string): boolean => table in KEYS;

/** Divides the tables of a database; returns the names of those that are divided otherwise already. */
export async function distribute(url: string): Promise<string[]> {
  const db = await openDatabase({ kind: 'postgresql', url });
  const others: string[] = [];
  try {
    for (const [table, key] of Object.entries(KEYS)) {
      const isPlain = (await db.read.sql.get(IS_PLAIN, table)) !== undefined;
      if (isPlain) await db.write((tx) => divide(tx, table, key));
      else others.push(table);
    }
  } finally {
    await db.close();
  }
  return others;
}
