// Queries that replace the digests of credentials while a key is rotated. Like those about last uses they are prepared
// (decision 031).
import { type Statement, statement, type Tx } from '@quarterdeck/core/db';

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
