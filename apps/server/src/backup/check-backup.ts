// Checks a backup: its seal, checksums, the database itself, and the key.
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import {
  type CheckedFile,
  checkDump,
  checkSqliteFile,
  DatabaseError,
  digestOf,
  foreignText,
} from '@quarterdeck/core/db';
import { ConfigError } from '@quarterdeck/core/environment';
import { KEY_FILE_NAMES, KEY_FILES, type KeyFile, parseKey, readKeyFile } from '../auth/key-files.ts';
import type { SecretKey } from '../auth/secrets.ts';
import { Refusal } from '../process/refusal.ts';
import type { BackupSettings } from './make-backup.ts';
import { filesBeside } from './make-backup.ts';
import { BadManifest, type Manifest, manifestText, readManifest, type StoredManifest, sha256 } from './manifest.ts';
import { type Judgement, judgeSeal } from './seal.ts';
import { type KeyFiles, openKeys, WrongPassphrase } from './sealed-keys.ts';

/** First bytes of a dump of pg_dump in its custom format. */
const DUMP_MAGIC = 'PGDMP';

export interface CheckedBackup {
  readonly file: string;
  readonly database: 'sqlite' | 'postgresql';
  /** Undefined for a plain database file, such as a backup of 0.1.0. */
  readonly manifest: Manifest | undefined;
  /** Contents of a SQLite file, as read from it. */
  readonly contents: CheckedFile | undefined;
  /** `none`: the backup holds no key. `sealed`: its key needs the passphrase. */
  readonly keys: 'none' | 'sealed' | KeyFiles;
  readonly seal: Judgement;
  /** The judgement as a sentence for people. */
  readonly sealText: string;
}

/** Files with which SQLite would change a database file that it opens. Empty ones do nothing. */
const JOURNALS = ['-journal', '-wal'] as const;

/**
 * Checks all files of a backup. The key is decrypted where there is a passphrase. The seal is judged by the keys of the
 * data folder and by the decrypted one, never by a key beside the backup: who changes a backup can write there.
 *
 * @throws Refusal with the first fault, in one line
 */
export async function checkBackup(
  file: string,
  { dataDir, backupPassphrase: passphrase }: Pick<BackupSettings, 'dataDir' | 'backupPassphrase'>,
): Promise<CheckedBackup> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new Refusal(`${file} is no file`);
  const stored = manifestOf(file);
  const manifest = stored?.manifest;
  if (manifest !== undefined) await compare(file, manifest);
  const database = manifest?.database ?? databaseOf(file);
  const contents = await explained(manifest, async () => {
    const checked = database === 'sqlite' ? checkSqliteFile(file) : undefined;
    const foreign = checked?.foreign ?? (await checkDump(file));
    if (foreign.length > 0) throw new Refusal(foreignText(file, foreign));
    return checked;
  });
  if (
    contents !== undefined &&
    manifest !== undefined &&
    JSON.stringify(contents.rows) !== JSON.stringify(manifest.rows)
  ) {
    throw new Refusal(`${file} does not hold the rows that its manifest states`);
  }
  const keys = await keysOf(file, manifest, passphrase);
  const seal = judge(file, stored, [...keysHere(dataDir), ...keysWithin(keys)]);
  const sealText = explainSeal(seal, stored, { file, dataDir, keys });
  return { file, database, manifest, contents, keys, seal, sealText };
}

/** A renamed backup is not authentic: it may be an older one in the place of another. */
function judge(file: string, stored: StoredManifest | undefined, keys: readonly SecretKey[]): Judgement {
  if (stored === undefined) return 'unsealed';
  const judgement = judgeSeal(stored.seal, manifestText(stored.manifest), keys);
  return judgement === 'authentic' && nameIn(stored) !== basename(file) ? 'wrong' : judgement;
}

const nameIn = ({ manifest }: StoredManifest) => (manifest.version === 1 ? undefined : manifest.name);

/** Keys of the data folder. Those that this account may not read are not here: verifying needs no rights in it. */
const keysHere = (dataDir: string): SecretKey[] =>
  (Object.keys(KEY_FILES) as KeyFile[]).flatMap((file) => {
    try {
      return readKeyFile(dataDir, file) ?? [];
    } catch (error) {
      if (error instanceof ConfigError) return [];
      throw error;
    }
  });

/** Keys that the passphrase opened: nobody without it can have made them. */
const keysWithin = (keys: CheckedBackup['keys']): SecretKey[] =>
  typeof keys === 'string' ? [] : KEY_FILE_NAMES.flatMap((name) => (keys[name] ? parseKey(keys[name], name) : []));

/** Describes a judgement. */
function explainSeal(
  judgement: Judgement,
  stored: StoredManifest | undefined,
  { file, dataDir, keys }: { readonly file: string; readonly dataDir: string; readonly keys: CheckedBackup['keys'] },
): string {
  const key = stored?.seal?.key ?? 1;
  const remedy = keys === 'sealed' ? '; set QUARTERDECK_BACKUP_PASSPHRASE to check it with the key in the backup' : '';
  switch (judgement) {
    case 'authentic':
      return `it is authentic: its seal is that of key ${key}`;
    case 'unsealed':
      return 'it has no seal, so nobody can tell whether it was changed';
    case 'no key':
      return `its seal was not checked: key ${key} is not in ${dataDir}${remedy}`;
    case 'wrong': {
      const name = stored === undefined ? undefined : nameIn(stored);
      if (name !== undefined && name !== basename(file)) {
        return `it was made as ${name}: give it that name back, unless it is in the place of another backup`;
      }
      return `its seal is wrong: it was changed, or made with another key than those in ${dataDir}${remedy}`;
    }
  }
}

function manifestOf(file: string): StoredManifest | undefined {
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
  const added = [...JOURNALS.map((suffix) => file + suffix), ...(keySha256 === null ? [key] : [])].find(
    (one) => (statSync(one, { throwIfNoEntry: false })?.size ?? 0) > 0,
  );
  if (added !== undefined) throw new Refusal(`${added} does not belong to the backup; delete it`);
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
