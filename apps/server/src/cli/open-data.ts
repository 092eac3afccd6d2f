// Opens the data of an installation for a command, without the server.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, DatabaseError, openDatabase } from '@quarterdeck/core/db';
import { checkKey } from '../auth/key-check.ts';
import { openSecretKey, type SecretKey } from '../auth/secrets.ts';
import type { Config } from '../config.ts';
import { prepareDataFolder } from '../data-folder.ts';
import { type AuditLog, createAuditLog } from '../features/audit/audit.log.ts';
import { databaseOf } from '../features/bootstrap/open-installation.ts';
import { Refusal } from './command.ts';

/** Dependencies of commands. */
export interface Data extends AsyncDisposable {
  readonly db: Database;
  readonly key: SecretKey;
  readonly audit: AuditLog;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Refuses a folder without an installation. A command never creates one: the folder is more likely the wrong one. */
export function checkDataFolder({ dataDir, databaseUrl }: Config): void {
  const needed = databaseUrl === undefined ? ['secret.key', 'quarterdeck.db'] : ['secret.key'];
  if (!needed.every((file) => existsSync(join(dataDir, file)))) {
    throw new Refusal(`${dataDir} is not the data folder of a started server; set QUARTERDECK_DATA_DIR`);
  }
}

/** Opens the data. */
export async function openData(config: Config): Promise<Data> {
  checkDataFolder(config);
  prepareDataFolder(config.dataDir);
  const key = openSecretKey(config.dataDir);
  const db = await open(config);
  try {
    await checkKey(db, key);
  } catch (error) {
    await db.close();
    throw error;
  }
  const now = Date.now;
  return { db, key, now, audit: createAuditLog(now, key), [Symbol.asyncDispose]: () => db.close() };
}

async function open(config: Config): Promise<Database> {
  try {
    return await openDatabase({ ...databaseOf(config), mustExist: true });
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== 'locked') throw error;
    throw new Refusal(`a server is running on ${config.dataDir}; stop it first, then run this command again`);
  }
}
