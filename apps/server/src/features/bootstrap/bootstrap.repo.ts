// Queries about the secrets of the bootstrap file that were stored as tokens. A token that was revoked or rotated must
// not return at the next start, so the hash of each secret is kept in a setting.
import type { Tx } from '@quarterdeck/core/db';
import { readSettings, removeSettings, storeSetting } from '@quarterdeck/core/sql';

/** Start of the names of these settings. */
export const BOOTSTRAP_TOKEN = 'bootstrap_token:';

const nameOf = (hash: Uint8Array): string => BOOTSTRAP_TOKEN + Buffer.from(hash).toString('hex');

/**
 * Records that a secret was stored as a token, under the first of its digests alone; false where it is recorded
 * already. Needs `lockUsers`.
 */
export async function recordBootstrapSecret(tx: Tx, hashes: readonly Uint8Array[]): Promise<boolean> {
  const [name = '', ...others] = hashes.map(nameOf);
  const recorded = await readSettings(tx, [name, ...others]);
  if (!recorded.has(name)) await storeSetting(tx, name, '');
  if (others.length > 0) await removeSettings(tx, others);
  return recorded.size === 0;
}
