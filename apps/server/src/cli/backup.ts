import { resolve } from 'node:path';
import { backupSqlite } from '@quarterdeck/core/db';
import { type Command, Refusal } from './command.ts';
import { checkDataFolder } from './open-data.ts';

export const backup: Command = {
  name: 'backup',
  parameters: ['FILE'],
  summary: 'Copy the SQLite database to a new file, also while the server is running',
  async run({ args: [file = ''], config, say }) {
    const settings = config();
    if (settings.databaseUrl !== undefined) {
      throw new Refusal('the data is on PostgreSQL: back it up with pg_dump, and secret.key with it');
    }
    checkDataFolder(settings);
    const bytes = await backupSqlite(settings.dataDir, resolve(file));
    say(`${file} holds ${bytes} bytes; it needs the secret.key of ${settings.dataDir} to be of use`);
  },
};
