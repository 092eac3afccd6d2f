// A database belongs to a key. With another key every credential would quietly stop working, so the server says so
// instead and does not start.
import { type Database, statement } from '@quarterdeck/core/db';
import { ConfigError } from '@quarterdeck/core/environment';
import type { SecretKey } from './secrets.ts';

const NAME = 'secret_key_check';
const REMEMBER = statement('INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING');
const READ = statement('SELECT value FROM setting WHERE name = ?');

/**
 * Remembers the key in a new database (a digest that reveals nothing of it), and compares it in an old one.
 *
 * @throws ConfigError where the database was made with another key
 */
export async function checkKey(db: Database, key: SecretKey): Promise<void> {
  const check = Buffer.from(key.digest(NAME)).toString('hex');
  const read = () => db.read.sql.get<{ value: string }>(READ, NAME);
  let stored = await read();
  if (stored === undefined) {
    await db.write((tx) => tx.sql.run(REMEMBER, NAME, check));
    stored = await read();
  }
  if (stored?.value === check) return;
  throw new ConfigError(
    'secret.key in QUARTERDECK_DATA_DIR is not the key this database was made with: every password would still work, but no token or session; put the right file there',
  );
}
