import { resolve } from 'node:path';
import { openThreadReader } from '@quarterdeck/core/db';
import { type DamagedSegment, findDamage } from '@quarterdeck/store';
import { createBackups, type LastBackup } from '../backup/backups.ts';
import { checkBackup } from '../backup/check-backup.ts';
import { describeBackup } from '../backup/describe-backup.ts';
import { makeBackup } from '../backup/make-backup.ts';
import { restoreBackup } from '../backup/restore.ts';
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

export async function verifyBackup({ args: [file = ''], config, out, say }: CommandCall): Promise<void> {
  const checked = await checkBackup(resolve(file), config());
  for (const line of describeBackup(checked)) out(line);
  const { seal, sealText } = checked;
  if (seal === 'wrong') throw new Refusal(`${checked.file} is not authentic: ${sealText}`);
  if (seal === 'authentic') out(sealText);
  else say(sealText);
  if (checked.database === 'sqlite') await checkLines(checked.file);
  out('the backup is intact');
}

/** Refuses a copy of damaged lines. The lines in a dump of PostgreSQL can only be checked once it is restored. */
async function checkLines(file: string): Promise<void> {
  const reader = await openThreadReader({ dialect: 'sqlite', file });
  try {
    const [first, ...others] = await reader.snapshot(async (sql) => {
      const damaged: DamagedSegment[] = [];
      for await (const segment of findDamage({ sql })) damaged.push(segment);
      return damaged;
    });
    if (first === undefined) return;
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    throw new Refusal(
      `${file} holds stored lines that were damaged when it was made: segment ${first.id} (${first.parts.join(', ')})${more}; ` +
        'an older backup may have them whole',
    );
  } finally {
    await reader.close();
  }
}

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
