import { resolve } from 'node:path';
import { checkBackup } from '../backup/check-backup.ts';
import { describeBackup } from '../backup/describe-backup.ts';
import { restoreBackup } from '../backup/restore.ts';
import type { CommandCall } from './command.ts';

export async function restore({ args: [file = ''], config, flag, out, say }: CommandCall): Promise<void> {
  const settings = config();
  const checked = await checkBackup(resolve(file), settings);
  for (const line of describeBackup(checked)) out(line);
  const isDryRun = flag('dry-run');
  const acceptUnsigned = flag('accept-unsigned');
  const point = await restoreBackup(settings, checked, { nowMs: Date.now(), say, acceptUnsigned, isDryRun });
  const place = settings.databaseUrl === undefined ? settings.dataDir : 'the PostgreSQL database';
  out(isDryRun ? `it can be restored into ${place}; nothing was changed` : `${place} holds the backup`);
  if (point !== undefined) out(`the files before it are in ${point}; delete them once the server works`);
}
