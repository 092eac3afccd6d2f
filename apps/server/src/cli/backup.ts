import { resolve } from 'node:path';
import { createBackups, type LastBackup } from '../backup/backups.ts';
import { makeBackup } from '../backup/make-backup.ts';
import { type CommandCall, Refusal } from './command.ts';
import { checkDataFolder } from './open-data.ts';

/** `backup`. */
export async function backup(call: CommandCall): Promise<void> {
  const [file] = call.args;
  if (file === undefined) return await backupToFolder(call);
  const { config, say } = call;
  const settings = config();
  checkDataFolder(settings);
  const { bytes, keySha256 } = await makeBackup(settings, resolve(file), { nowMs: Date.now() });
  say(`${file} holds ${bytes} bytes; ${keyNote(settings.dataDir, keySha256 !== null)}`);
}

/** Makes a backup as the schedule does. A live server on SQLite runs this, with its own settings. */
async function backupToFolder({ config, openData, say }: CommandCall): Promise<void> {
  const settings = config();
  if (settings.backupDir === undefined) {
    throw new Refusal('name a FILE, or the folder of backups in QUARTERDECK_BACKUP_DIR');
  }
  await using data = await openData();
  const log = { info: () => undefined, warn: () => undefined };
  const made: LastBackup = await createBackups(settings, { db: data.db, log, now: data.now }).make();
  say(`${made.file} holds ${made.bytes} bytes; ${keyNote(settings.dataDir, settings.backupPassphrase !== undefined)}`);
}

const keyNote = (dataDir: string, hasKey: boolean) =>
  hasKey ? 'its key opens with the passphrase' : `it needs the secret.key of ${dataDir} to be of use`;
