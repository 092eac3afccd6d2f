import { resolve } from 'node:path';
import { backupSqlite } from '@quarterdeck/core/db';
import { type CommandCall, Refusal } from './command.ts';
import { checkDataFolder } from './open-data.ts';

/** `backup`. */
export async function backup({ args: [file = ''], config, say }: CommandCall): Promise<void> {
  const settings = config();
  if (settings.databaseUrl !== undefined) {
    throw new Refusal('the data is on PostgreSQL: back it up with pg_dump, and secret.key with it');
  }
  checkDataFolder(settings);
  const bytes = await backupSqlite(settings.dataDir, resolve(file));
  say(`${file} holds ${bytes} bytes; it needs the secret.key of ${settings.dataDir} to be of use`);
}
