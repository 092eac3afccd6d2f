// A database with tables and without a server, for tests of the store.
import { type Database, openDatabase } from '@quarterdeck/core/db';
import { databaseOf } from '../src/features/bootstrap/open-installation.ts';
import { newPlace } from './start-api.ts';

/** A database of its own. */
export interface TestStore extends AsyncDisposable {
  readonly db: Database;
  readonly dataDir: string;
}

export async function openStore(): Promise<TestStore> {
  const place = await newPlace();
  const { DATA_DIR: dataDir = '', DATABASE_URL: url = '' } = place.sharing;
  const db = await openDatabase(databaseOf({ dataDir, databaseUrl: url === '' ? undefined : url }));
  return {
    db,
    dataDir,
    async [Symbol.asyncDispose]() {
      await db.close();
      await place[Symbol.asyncDispose]();
    },
  };
}
