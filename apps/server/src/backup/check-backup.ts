// Checks a backup: checksums, the database itself, and the key.
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { type CheckedFile, checkDump, checkSqliteFile, DatabaseError, digestOf } from '@quarterdeck/core/db';
import { Refusal } from '../cli/command.ts';
import { filesBeside } from './make-backup.ts';
import { BadManifest, type Manifest, readManifest, sha256 } from './manifest.ts';
import { type KeyFiles, openKeys, WrongPassphrase } from './sealed-keys.ts';

/** First bytes of a dump of pg_dump in its custom format. */
const DUMP_MAGIC = 'PGDMP';

/** A backup that was checked. */
export interface CheckedBackup {
  readonly file: string;
  readonly database: 'sqlite' | 'postgresql';
  /** Undefined for a plain database file, such as a backup of 0.1.0. */
  readonly manifest: Manifest | undefined;
  /** Contents of a SQLite file, as read from it. */
  readonly contents: CheckedFile | undefined;
  /** `none`: the backup holds no key. `sealed`: its key needs the passphrase. */
  readonly keys: 'none' | 'sealed' | KeyFiles;
}

/**
 * Checks all files of a backup. The key is decrypted where there is a passphrase.
 *
 * @throws Refusal with the first fault, in one line
 */
export async function checkBackup(file: string, passphrase: string | undefined): Promise<CheckedBackup> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new Refusal(`${file} is no file`);
  const manifest = manifestOf(file);
  if (manifest !== undefined) await compare(file, manifest);
  const database = manifest?.database ?? databaseOf(file);
  const contents = await explained(manifest, async () => {
    if (database === 'sqlite') return checkSqliteFile(file);
    await checkDump(file);
    return undefined;
  });
  if (
    contents !== undefined &&
    manifest !== undefined &&
    JSON.stringify(contents.rows) !== JSON.stringify(manifest.rows)
  ) {
    throw new Refusal(`${file} does not hold the rows that its manifest states`);
  }
  return { file, database, manifest, contents, keys: await keysOf(file, manifest, passphrase) };
}

function manifestOf(file: string): Manifest | undefined {
  try {
    return readManifest(filesBeside(file).manifest);
  } catch (error) {
    throw error instanceof BadManifest ? new Refusal(error.message) : error;
  }
}

async function compare(file: string, { bytes, sha256: digest, keySha256 }: Manifest): Promise<void> {
  const { size } = statSync(file);
  if (size !== bytes) throw new Refusal(`${file} is damaged: it has ${size} bytes instead of ${bytes}`);
  if ((await digestOf(file)) !== digest) throw new Refusal(`${file} is damaged: its checksum is wrong`);
  const { key } = filesBeside(file);
  if (keySha256 === null) return;
  if (!existsSync(key)) throw new Refusal(`${key} is missing; the backup had an encrypted key`);
  if (sha256(readFileSync(key, 'utf8')) !== keySha256) throw new Refusal(`${key} is damaged: its checksum is wrong`);
}

function databaseOf(file: string): 'sqlite' | 'postgresql' {
  const head = Buffer.alloc(DUMP_MAGIC.length);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, head);
  closeSync(descriptor);
  return head.toString('latin1') === DUMP_MAGIC ? 'postgresql' : 'sqlite';
}

/** Names the version to use where the backup is of a later one. */
async function explained<T>(manifest: Manifest | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const remedy =
      error.kind === 'newer' && manifest !== undefined
        ? ` Restore it with version ${manifest.quarterdeck} or later.`
        : '';
    throw new Refusal(`${error.message}${remedy}`);
  }
}

async function keysOf(
  file: string,
  manifest: Manifest | undefined,
  passphrase: string | undefined,
): Promise<CheckedBackup['keys']> {
  if (manifest === undefined || manifest.keySha256 === null) return 'none';
  if (passphrase === undefined) return 'sealed';
  const { key } = filesBeside(file);
  try {
    return await openKeys(readFileSync(key, 'utf8'), passphrase, manifest.sha256);
  } catch (error) {
    if (!(error instanceof WrongPassphrase)) throw error;
    throw new Refusal(`QUARTERDECK_BACKUP_PASSPHRASE does not open ${key}: ${error.message}`);
  }
}
