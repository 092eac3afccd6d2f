// Opens the data of an installation for a command, without the server.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '@quarterdeck/core/db';
import { checkKey } from '../auth/key-check.ts';
import { openSecretKey } from '../auth/key-ring.ts';
import { createPasswords } from '../auth/passwords.ts';
import { finishInterruptedRestore } from '../backup/restore-journal.ts';
import { createAuditLog } from '../features/audit/audit.log.ts';
import { databaseOf } from '../features/bootstrap/open-installation.ts';
import { Refusal } from '../process/refusal.ts';
import { type Config, trustConfigured } from '../settings/config.ts';
import { prepareDataFolder } from '../settings/data-folder.ts';
import type { Data } from './command.ts';

/** Refuses a folder without an installation. A command never creates one: the folder is more likely the wrong one. */
export function checkDataFolder({ dataDir, databaseUrl }: Config): void {
  const needed = databaseUrl === undefined ? ['secret.key', 'quarterdeck.db'] : ['secret.key'];
  if (!needed.every((file) => existsSync(join(dataDir, file)))) {
    throw new Refusal(`${dataDir} is not the data folder of a started server; set QUARTERDECK_DATA_DIR`);
  }
}

/** Opens the data in this process. */
export async function openData(config: Config): Promise<Data> {
  trustConfigured(config);
  await finishInterruptedRestore(config.dataDir);
  checkDataFolder(config);
  prepareDataFolder(config.dataDir);
  const key = openSecretKey(config.dataDir);
  const db = await openDatabase({ ...databaseOf(config), mustExist: true });
  try {
    await checkKey(db, key);
  } catch (error) {
    await db.close();
    throw error;
  }
  const now = Date.now;
  return {
    db,
    key,
    now,
    audit: createAuditLog(now, key),
    passwords: () => createPasswords(),
    [Symbol.asyncDispose]: () => db.close(),
  };
}
