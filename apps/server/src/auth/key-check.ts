// Checks that a database belongs to a key of this server. With another key no token or session works, for no visible
// reason. The database names the key in use by its check, which only a process that has both keys can replace.
import type { Database, Tx } from '@quarterdeck/core/db';
import { ConfigError } from '@quarterdeck/core/environment';
import { initSetting, readSettings } from '@quarterdeck/core/sql';
import type { KeyRing } from './key-ring.ts';
import { KEY_CHECK } from './secrets.ts';

/** Name of the setting with the generation of the oldest key that is accepted; missing until a key is dropped. */
export const KEY_OLDEST = 'secret_key_oldest';

/** Uses the key that the database names. False where this server does not have it. */
export async function followKey(tx: Tx, key: KeyRing): Promise<boolean> {
  const stored = await readSettings(tx, [KEY_CHECK, KEY_OLDEST]);
  return key.use(stored.get(KEY_CHECK) ?? key.check, Number(stored.get(KEY_OLDEST) ?? 1));
}

/**
 * Stores a check of the key in a new database, and uses the key that an old one names.
 *
 * @throws ConfigError where the database was made with another key
 */
export async function checkKey(db: Database, key: KeyRing): Promise<void> {
  const stored = await readSettings(db.read, [KEY_CHECK]);
  if (!stored.has(KEY_CHECK)) await db.write((tx) => initSetting(tx, KEY_CHECK, key.check));
  if (await followKey(db.read, key)) return;
  throw new ConfigError(
    'secret.key in QUARTERDECK_DATA_DIR is not the key of this database, so no token or session would work; restore the right file',
  );
}
