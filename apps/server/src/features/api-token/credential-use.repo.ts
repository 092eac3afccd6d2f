// Queries that record the last use of credentials. 200 of them run in one write: 0.8 ms on SQLite, 8 ms through Prisma,
// in which no other write could run. They are prepared (decision 031).
import { type Statement, statement, type Tx } from '@quarterdeck/core/db';

/** Use of a credential. */
export interface Use {
  readonly kind: 'session' | 'api_token' | 'link';
  readonly id: number;
  readonly ms: number;
  readonly address: string;
  readonly client: string;
}

// Another server may have written a use of the same minute, or a later one.
const TOUCH_TOKEN = statement(
  'UPDATE api_token SET last_used_ms = ?, last_address = ?, last_client = ? WHERE id = ? AND last_used_ms <= ?',
);
const touchIn = (table: string) => statement(`UPDATE ${table} SET last_used_ms = ? WHERE id = ? AND last_used_ms <= ?`);
const TOUCH = { session: touchIn('session'), link: touchIn('shared_link') };

/** Records a use, unless one within `everyMs` before it is recorded. */
export async function recordUse(tx: Tx, { kind, id, ms, address, client }: Use, everyMs: number): Promise<void> {
  if (kind !== 'api_token') await tx.sql.run(TOUCH[kind], ms, id, ms - everyMs);
  else await tx.sql.run(TOUCH_TOKEN, ms, address, client, id, ms - everyMs);
}

/** A column with digests of secrets. `api_token_before` is the secret before the last rotation of a token. */
export type HashColumn = 'agent' | 'api_token' | 'api_token_before' | 'enrollment' | 'link' | 'session';

/** Move of one digest. */
export interface HashMove {
  readonly column: HashColumn;
  readonly id: number;
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

// The secret may have been replaced meanwhile: then its column has another digest.
const moveIn = (table: string, column: string) =>
  statement(`UPDATE ${table} SET ${column} = ? WHERE id = ? AND ${column} = ?`);
const MOVE: Readonly<Record<HashColumn, Statement>> = {
  agent: moveIn('agent', 'secret_hash'),
  api_token: moveIn('api_token', 'token_hash'),
  api_token_before: moveIn('api_token', 'previous_hash'),
  enrollment: moveIn('enrollment', 'token_hash'),
  link: moveIn('shared_link', 'token_hash'),
  session: moveIn('session', 'token_hash'),
};

/** Replaces a digest, unless the secret was replaced meanwhile. */
export async function moveHash({ sql }: Tx, { column, id, from, to }: HashMove): Promise<void> {
  await sql.run(MOVE[column], to, id, from);
}
