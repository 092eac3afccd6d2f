// Which secrets of the bootstrap file have been made into tokens. A token that was revoked or rotated must not come back
// at the next start, so they are remembered, by the same hash as the tokens themselves.
import { statement, type Tx } from '@quarterdeck/core/db';

const REMEMBER = statement("INSERT INTO setting (name, value) VALUES (?, '') ON CONFLICT (name) DO NOTHING");

/** Remembers that a secret was made into a token; false where it is known already. */
export async function markMade(tx: Tx, tokenHash: Uint8Array): Promise<boolean> {
  const mark = `bootstrap_token:${Buffer.from(tokenHash).toString('hex')}`;
  return (await tx.sql.run(REMEMBER, mark)).changes > 0;
}
