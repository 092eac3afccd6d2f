// Makes one backup: a copy of the database, FILE; its sealed manifest, FILE.json; and with a passphrase the encrypted
// key, FILE.key. FILE appears last, so a backup that has it is complete.
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type CopySource, copyDatabase, copyDatabaseOnThread, DatabaseError } from '@quarterdeck/core/db';
import { KEY_FILE_NAMES, KEY_FILES, readKeyFile } from '../auth/key-files.ts';
import type { SecretKey } from '../auth/secrets.ts';
import { VERSION } from '../process/version.ts';
import type { Config } from '../settings/config.ts';
import { encodeManifest, type Manifest, sha256 } from './manifest.ts';
import { sealKeys } from './sealed-keys.ts';

/** Settings that a backup depends on. */
export type BackupSettings = Pick<Config, 'dataDir' | 'databaseUrl' | 'backupPassphrase'>;

export interface BackupOptions {
  readonly nowMs: number;
  /** Copies on a thread, as a server must, until this is aborted. */
  readonly stop?: AbortSignal;
}

/** Returns the names of the other files of a backup. */
export const filesBeside = (file: string) => ({ manifest: `${file}.json`, key: `${file}.key` });

/** Makes a backup. Never replaces a file, and leaves no part of a backup that failed. */
export async function makeBackup(settings: BackupSettings, file: string, options: BackupOptions): Promise<Manifest> {
  const { manifest: manifestFile, key: keyFile } = filesBeside(file);
  const targets = [keyFile, manifestFile, file];
  const partOf = (target: string) => `${target}.part`;
  const present = targets.find((target) => existsSync(target));
  if (present !== undefined) throw exists(present);
  const published: string[] = [];
  try {
    const sealing = sealingKey(settings.dataDir);
    const { bytes, sha256: digest, contents } = await copyFrom(settings, partOf(file), options.stop);
    const sealed = await sealedKey(settings, digest);
    const manifest: Manifest = {
      format: 'quarterdeck-backup',
      version: 2,
      quarterdeck: VERSION,
      database: settings.databaseUrl === undefined ? 'sqlite' : 'postgresql',
      timeMs: options.nowMs,
      bytes,
      sha256: digest,
      keySha256: sealed === undefined ? null : sha256(sealed),
      ...contents,
      name: basename(file),
    };
    writeDurably(partOf(manifestFile), encodeManifest(manifest, sealing));
    if (sealed !== undefined) writeDurably(partOf(keyFile), sealed);
    options.stop?.throwIfAborted();
    for (const target of targets) {
      if (!existsSync(partOf(target))) continue;
      publish(partOf(target), target);
      published.push(target);
    }
    syncFolder(dirname(file));
    return manifest;
  } catch (error) {
    // In reverse: without FILE, nothing takes the others for a backup.
    for (const target of published.reverse()) rmSync(target, { force: true });
    throw explain(error, file);
  } finally {
    for (const target of targets) rmSync(partOf(target), { force: true });
  }
}

function copyFrom({ dataDir, databaseUrl }: BackupSettings, target: string, stop: AbortSignal | undefined) {
  const source: CopySource =
    databaseUrl === undefined
      ? { kind: 'sqlite', file: join(dataDir, 'quarterdeck.db') }
      : { kind: 'postgresql', url: databaseUrl };
  return stop === undefined ? copyDatabase(source, target) : copyDatabaseOnThread(source, target, stop);
}

/** The key of the data folder. During a rotation any of its keys will do: each is tried where a seal is judged. */
function sealingKey(dataDir: string): SecretKey {
  const key = readKeyFile(dataDir, 'current');
  if (key !== undefined) return key;
  throw new DatabaseError('io', `${join(dataDir, KEY_FILES.current)} is missing; a backup is sealed with it.`);
}

async function sealedKey({ dataDir, backupPassphrase }: BackupSettings, owner: string): Promise<string | undefined> {
  if (backupPassphrase === undefined) return undefined;
  const names = KEY_FILE_NAMES.filter((name) => existsSync(join(dataDir, name)));
  const files = names.map((name) => [name, readFileSync(join(dataDir, name), 'utf8')]);
  return await sealKeys(Object.fromEntries(files), backupPassphrase, owner);
}

/** Writes a new file of mode 0600; resolves once it is durable. */
export function writeDurably(file: string, text: string): void {
  rmSync(file, { force: true });
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Gives a complete file its name. */
function publish(part: string, target: string): void {
  try {
    // A link, unlike a rename, never replaces a file that has appeared meanwhile.
    linkSync(part, target);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // Some shared and removable file systems have no links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code) || existsSync(target)) throw error;
    renameSync(part, target);
  }
}

const exists = (file: string) => new DatabaseError('io', `${file} already exists; it was not changed.`);

/** Describes a failed system call in one line. */
function explain(error: unknown, file: string): unknown {
  // The copy has no space, not the database.
  if (error instanceof DatabaseError && error.kind === 'full') {
    return new DatabaseError('full', noSpace(file), { cause: error });
  }
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined || code === undefined) return error;
  if (code === 'EEXIST') return exists(file);
  if (code === 'ENOSPC' || code === 'EDQUOT') return new DatabaseError('full', noSpace(file), { cause: error });
  return new DatabaseError('io', `${file} cannot be written (${code}).`, { cause: error });
}

const noSpace = (file: string) => `The folder ${dirname(file)} has no space left for a backup.`;
