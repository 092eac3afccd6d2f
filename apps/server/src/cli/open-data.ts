// The data of an installation, opened by a command instead of by the server.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, DatabaseError, openDatabase } from '@quarterdeck/core/db';
import { checkKey } from '../auth/key-check.ts';
import { openSecretKey, type SecretKey } from '../auth/secrets.ts';
import type { Config } from '../config.ts';
import { type AuditLog, createAuditLog } from '../features/audit/audit.log.ts';
import { Refusal } from './command.ts';

/** What commands work on. */
export interface Data extends AsyncDisposable {
  readonly db: Database;
  readonly key: SecretKey;
  readonly audit: AuditLog;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** A command never makes a new installation: it would only mean that it looks in the wrong place. */
export function checkDataFolder({ dataDir, databaseUrl }: Config): void {
  const needed = databaseUrl === undefined ? ['secret.key', 'quarterdeck.db'] : ['secret.key'];
  if (!needed.every((file) => existsSync(join(dataDir, file)))) {
    throw new Refusal(`${dataDir} is not the data folder of a server that has been started; see QUARTERDECK_DATA_DIR`);
  }
}

/** Opens the data. */
export async function openData(config: Config): Promise<Data> {
  const { dataDir, databaseUrl } = config;
  checkDataFolder(config);
  const key = openSecretKey(dataDir);
  const db = await open(dataDir, databaseUrl);
  try {
    await checkKey(db, key);
  } catch (error) {
    await db.close();
    throw error;
  }
  const now = Date.now;
  return { db, key, now, audit: createAuditLog(now, key), [Symbol.asyncDispose]: () => db.close() };
}

async function open(dataDir: string, databaseUrl: string | undefined): Promise<Database> {
  try {
    return await openDatabase(
      databaseUrl === undefined ? { kind: 'sqlite', dataDir } : { kind: 'postgresql', url: databaseUrl },
    );
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== 'locked') throw error;
    throw new Refusal(`a server is running on ${dataDir}; stop it first, then run this command again`);
  }
}
