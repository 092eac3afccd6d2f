// Queries about the secrets of the bootstrap file that were stored as tokens. A token that was revoked or rotated must
// not return at the next start, so the hash of each secret is kept in a setting.
import type { Tx } from '@quarterdeck/core/db';
import { readSetting, storeSetting } from '../../sql/setting.repo.ts';

/** Records that a secret was stored as a token; false where it is recorded already. Needs `lockUsers`. */
export async function recordBootstrapSecret(tx: Tx, tokenHash: Uint8Array): Promise<boolean> {
  const name = `bootstrap_token:${Buffer.from(tokenHash).toString('hex')}`;
  if ((await readSetting(tx, name)) !== undefined) return false;
  await storeSetting(tx, name, '');
  return true;
}
