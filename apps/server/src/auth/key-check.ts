// Checks that a database belongs to the key. With another key no token or session works, for no visible reason.
import type { Database } from '@quarterdeck/core/db';
import { ConfigError } from '@quarterdeck/core/environment';
import { initSetting, readSetting } from '../sql/setting.repo.ts';
import type { SecretKey } from './secrets.ts';

const NAME = 'secret_key_check';

/**
 * Stores a digest of the key in a new database, and compares it in an old one. The digest reveals nothing of the key.
 *
 * @throws ConfigError where the database was made with another key
 */
export async function checkKey(db: Database, key: SecretKey): Promise<void> {
  const digest = Buffer.from(key.digest(NAME)).toString('hex');
  const stored = (await readSetting(db.read, NAME)) ?? (await db.write((tx) => initSetting(tx, NAME, digest)));
  if (stored === digest) return;
  throw new ConfigError(
    'secret.key in QUARTERDECK_DATA_DIR is not the key of this database, so no token or session would work; restore the right file',
  );
}
