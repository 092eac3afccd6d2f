// Opens the database of an installation, and detects an installation that has lost its database.
import { type Database, DatabaseError, type DatabaseOptions, openDatabase } from '@quarterdeck/core/db';
import { ConfigError } from '@quarterdeck/core/environment';
import { checkKey } from '../../auth/key-check.ts';
import { isKeyUsed } from '../../auth/key-marker.ts';
import type { KeyRing } from '../../auth/key-ring.ts';
import type { Config } from '../../settings/config.ts';
import { hasUsers } from '../user/user.repo.ts';

type Place = Pick<Config, 'dataDir' | 'databaseUrl'> & Partial<Pick<Config, 'errlogMaxMb'>>;

/** Returns the options of the configured database. */
export const databaseOf = ({ dataDir, databaseUrl, errlogMaxMb = 0 }: Place): DatabaseOptions =>
  databaseUrl === undefined
    ? { kind: 'sqlite', dataDir, maxBytes: errlogMaxMb === 0 ? undefined : errlogMaxMb * 1_000_000 }
    : { kind: 'postgresql', url: databaseUrl };

/**
 * Opens the database, and creates the tables in an empty one. An empty database beside a used key is refused: the real
 * one was lost, or this is the wrong one. `beginAnew` allows a new installation.
 *
 * @throws DatabaseError of the kind `missing` for a lost database
 * @throws ConfigError where the database belongs to another key, or where `beginAnew` meets a database with users
 */
export async function openInstallation(place: Place, key: KeyRing, beginAnew: boolean): Promise<Database> {
  const mustExist = !beginAnew && isKeyUsed(place.dataDir);
  const db = await openDatabase({ ...databaseOf(place), mustExist }).catch((error: unknown) => {
    throw error instanceof DatabaseError && error.kind === 'missing' ? lost(place) : error;
  });
  try {
    const isEmpty = !(await hasUsers(db.read));
    if (mustExist && isEmpty) throw lost(place);
    if (beginAnew && !isEmpty) {
      throw new ConfigError(
        '--begin-anew creates a new installation, but this database already has one; start without that option',
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
    `${what}, but its secret.key has been used with one; restore the database, or start once with --begin-anew to create a new installation`,
  );
}
