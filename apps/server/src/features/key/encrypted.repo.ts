// Queries about columns with encrypted bytes, for the rotation of the key.
import { type Database, type Statement, statement, type Tx } from '@quarterdeck/core/db';
import { encryptedHead } from '../../auth/encryption.ts';
import { seedContext } from '../user/second-factor-codes.ts';

/** A column with encrypted bytes. */
export interface EncryptedColumn {
  /** Context of the encryption, for the row of an id. */
  readonly context: (id: number) => string;
  readonly count: Statement;
  readonly read: Statement;
  readonly replace: Statement;
}

// Bytes under another key than the one in use begin with another head.
const isOther = (column: string) => `${column} IS NOT NULL AND substr(${column}, 1, ?) <> ?`;

const columnIn = (table: string, column: string, context: (id: number) => string): EncryptedColumn => ({
  context,
  count: statement(`SELECT count(*) AS n FROM ${table} WHERE ${isOther(column)}`),
  read: statement(
    `SELECT id, ${column} AS bytes FROM ${table} WHERE id > ? AND ${isOther(column)} ORDER BY id LIMIT ?`,
  ),
  // The bytes may have been replaced meanwhile.
  replace: statement(`UPDATE ${table} SET ${column} = ? WHERE id = ? AND ${column} = ?`),
});

const SECOND_FACTORS = [columnIn('"user"', 'totp_seed', seedContext)];
const WEBHOOKS = [
  columnIn('webhook', 'url', (id) => `webhook:${id}:url`),
  columnIn('webhook', 'secret', (id) => `webhook:${id}:secret`),
  columnIn('webhook', 'previous_secret', (id) => `webhook:${id}:secret`),
  columnIn('webhook', 'settings', (id) => `webhook:${id}:settings`),
];

/** All of them. */
export const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [...SECOND_FACTORS, ...WEBHOOKS];

async function countIn(db: Database, columns: readonly EncryptedColumn[], generation: number): Promise<number> {
  const head = encryptedHead(generation);
  let count = 0;
  for (const column of columns) {
    count += (await db.read.sql.get<{ n: number }>(column.count, head.length, head))?.n ?? 0;
  }
  return count;
}

/** Counts what is encrypted under another key than the one in use. */
export const countEncrypted = async (db: Database, generation: number) => ({
  secondFactors: await countIn(db, SECOND_FACTORS, generation),
  webhooks: await countIn(db, WEBHOOKS, generation),
});

/** Encrypted bytes of a row. */
export interface EncryptedRow {
  readonly id: number;
  readonly bytes: Uint8Array;
}

/** Reads bytes under another key than that of a generation, after a row. */
export function readEncrypted(
  { read }: Database,
  column: EncryptedColumn,
  generation: number,
  afterId: number,
  limit: number,
): Promise<EncryptedRow[]> {
  const head = encryptedHead(generation);
  return read.sql.all<EncryptedRow>(column.read, afterId, head.length, head, limit);
}

/** Replaces the bytes of a row, unless they were replaced meanwhile. */
export async function replaceEncrypted(
  { sql }: Tx,
  { replace }: EncryptedColumn,
  { id, bytes }: EncryptedRow,
  to: Uint8Array,
): Promise<void> {
  await sql.run(replace, to, id, bytes);
}
