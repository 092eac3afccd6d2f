import { resolve } from 'node:path';
import { checkBackup } from '../backup/check-backup.ts';
import { describeBackup } from '../backup/describe-backup.ts';
import type { CommandCall } from './command.ts';

/** `backup verify`. */
export async function verifyBackup({ args: [file = ''], config, out }: CommandCall): Promise<void> {
  const checked = await checkBackup(resolve(file), config().backupPassphrase);
  for (const line of describeBackup(checked)) out(line);
  out('the backup is intact');
}
