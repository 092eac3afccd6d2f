// Restores a backup in a process of its own, which kills itself after a number of steps:
//   node restore-killed.ts DATA_FOLDER BACKUP STEPS
import { checkBackup } from '../src/backup/check-backup.ts';
import { restoreBackup } from '../src/backup/restore.ts';

const [dataDir = '', file = '', steps = ''] = process.argv.slice(2);
let left = Number(steps);
const onStep = (step: string) => {
  left -= 1;
  process.stdout.write(`${step}\n`);
  if (left === 0) process.kill(process.pid, 'SIGKILL');
};
const settings = { dataDir, databaseUrl: undefined, backupPassphrase: process.env['QUARTERDECK_BACKUP_PASSPHRASE'] };
const checked = await checkBackup(file, settings);
await restoreBackup(settings, checked, { nowMs: Date.now(), say: () => undefined, onStep });
