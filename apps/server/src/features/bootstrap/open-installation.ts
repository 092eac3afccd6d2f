// Opens the database of an installation, and tells a new installation from one that has lost its database.
import { type Database, DatabaseError, type DatabaseOptions, openDatabase } from '@quarterdeck/core/db';
import { ConfigError } from '@quarterdeck/core/environment';
import { checkKey } from '../../auth/key-check.ts';
import { isKeyUsed } from '../../auth/key-marker.ts';
import type { SecretKey } from '../../auth/secrets.ts';
import type { Config } from '../../config.ts';
import { hasUsers } from '../user/user.repo.ts';

type Place = Pick<Config, 'dataDir' | 'databaseUrl'>;

/** The database that the configuration names. */
export const databaseOf = ({ dataDir, databaseUrl }: Place): DatabaseOptions =>
  databaseUrl === undefined ? { kind: 'sqlite', dataDir } : { kind: 'postgresql', url: databaseUrl };

/**
 * Opens the database, and makes its tables in an empty one. An empty database beside a used key was lost or is the wrong
 * one: it is left as it is, unless `beginAnew` asks for a new installation.
 *
 * @throws DatabaseError of the kind `missing` for a lost database
 * @throws ConfigError where the database belongs to another key, or where `beginAnew` meets a database with users
 */
export async function openInstallation(place: Place, key: SecretKey, beginAnew: boolean): Promise<Database> {
  const mustExist = !beginAnew && isKeyUsed(place.dataDir);
  const db = await openDatabase({ ...databaseOf(place), mustExist }).catch((error: unknown) => {
    throw error instanceof DatabaseError && error.kind === 'missing' ? lost(place) : error;
  });
  try {
    const isEmpty = !(await hasUsers(db.read));
    if (mustExist && isEmpty) throw lost(place);
    if (beginAnew && !isEmpty) {
      throw new ConfigError(
        '--begin-anew makes a new installation, and this database has one; start without that option',
      );
    }
    await checkKey(db, key);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

function lost({ dataDir, databaseUrl }: Place): DatabaseError {
  const what = databaseUrl === undefined ? `${dataDir} has no database` : 'the PostgreSQL database is empty';
  return new DatabaseError(
    'missing',
    `${what}, but its secret.key has been used with one; restore the database, or start once with --begin-anew to make a new installation`,
  );
}
