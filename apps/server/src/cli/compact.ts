import { compactSqlite, DatabaseError } from '@quarterdeck/core/db';
import { Refusal } from '../process/refusal.ts';
import type { CommandCall } from './command.ts';
import { checkDataFolder } from './open-data.ts';

export async function compact({ config, say }: CommandCall): Promise<void> {
  const settings = config();
  if (settings.databaseUrl !== undefined) {
    throw new Refusal('the data is on PostgreSQL: its VACUUM FULL gives unused space back');
  }
  checkDataFolder(settings);
  const { before, after } = await compactSqlite(settings.dataDir).catch((error: unknown) => {
    if (!(error instanceof DatabaseError) || error.kind !== 'locked') throw error;
    throw new Refusal(`a server is running on ${settings.dataDir}; stop it first, then run this command again`);
  });
  say(`the database had ${before} bytes and has ${after}: ${Math.max(0, before - after)} bytes were freed`);
}
