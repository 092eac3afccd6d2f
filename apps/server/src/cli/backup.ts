import { resolve } from 'node:path';
import { createBackups, type LastBackup } from '../backup/backups.ts';
import { makeBackup } from '../backup/make-backup.ts';
import { Refusal } from '../process/refusal.ts';
import type { CommandCall } from './command.ts';
import { checkDataFolder } from './open-data.ts';

export async function backup(call: CommandCall): Promise<void> {
  const [file] = call.args;
  if (file === undefined) return await backupToFolder(call);
  const { config, say } = call;
  const settings = config();
  checkDataFolder(settings);
  const { bytes, keySha256 } = await makeBackup(settings, resolve(file), { nowMs: Date.now() });
  say(report(call, file, bytes, settings.dataDir, keySha256 !== null));
}

/** Makes a backup as the schedule does. A live server on SQLite runs this, with its own settings. */
async function backupToFolder(call: CommandCall): Promise<void> {
  const { config, openData, inServer } = call;
  const settings = config();
  if (settings.backupDir === undefined) {
    throw new Refusal(
      inServer
        ? 'the running server makes this backup, and its settings have no folder of backups; ' +
            'set QUARTERDECK_BACKUP_DIR for the server and restart it, or name a FILE'
        : 'name a FILE, or the folder of backups in QUARTERDECK_BACKUP_DIR',
    );
  }
  await using data = await openData();
  const log = { info: () => undefined, warn: () => undefined };
  const made: LastBackup = await createBackups(settings, { db: data.db, log, now: data.now }).make();
  call.say(report(call, made.file, made.bytes, settings.dataDir, settings.backupPassphrase !== undefined));
}

/** The result, and whose settings counted: a passphrase or folder may be set for the server or this command alone. */
function report({ inServer }: CommandCall, file: string, bytes: number, dataDir: string, hasKey: boolean): string {
  const key = hasKey ? 'its key opens with the passphrase' : `it needs the secret.key of ${dataDir} to be of use`;
  const whose = inServer ? 'the settings of the running server counted' : 'the settings of this command counted';
  return `${file} holds ${bytes} bytes; ${key}; ${whose}`;
}
