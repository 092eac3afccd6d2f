// The key files of the data folder. `secret.key` exists from the first start on. During a rotation there is also the
// key that comes (`secret.key.next`) or the one before (`secret.key.old`). Each file appears whole or not at all.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@quarterdeck/core/environment';
import { type SecretKey, secretKeyOf } from './secrets.ts';

const KEY_BYTES = 32;

/** Names of the key files. */
export const KEY_FILES = { current: 'secret.key', next: 'secret.key.next', old: 'secret.key.old' } as const;
export type KeyFile = keyof typeof KEY_FILES;
/** The same as a list, that of the first key first. */
export const KEY_FILE_NAMES = [KEY_FILES.current, KEY_FILES.next, KEY_FILES.old] as const;

/** 64 hexadecimal digits; those of a key that is not the first of its installation are followed by its number. */
const FORM = /^([0-9a-f]{64})(?: ([2-9]|[1-9]\d{1,8}))?$/i;

/**
 * Reads a key file; undefined where there is none.
 *
 * @throws ConfigError where the file is not a key, or cannot be read
 */
export function readKeyFile(dataDir: string, file: KeyFile): SecretKey | undefined {
  const path = join(dataDir, KEY_FILES[file]);
  const text = readIfThere(path);
  return text === undefined ? undefined : parseKey(text, path);
}

/**
 * Reads the text of a key file. `path` is for messages.
 *
 * @throws ConfigError where it is not a key
 */
export function parseKey(text: string, path: string): SecretKey {
  const [, digits = '', generation = '1'] = FORM.exec(text.trim()) ?? [];
  if (digits === '') {
    throw new ConfigError(`${path} is not a key file: it must hold ${KEY_BYTES * 2} hexadecimal digits`);
  }
  return secretKeyOf(Buffer.from(digits, 'hex'), Number(generation));
}

/** Reads a key file, and creates it with a new key unless it exists. Also several processes at once get one key. */
export function openKeyFile(dataDir: string, file: KeyFile, generation = 1): SecretKey {
  const path = join(dataDir, KEY_FILES[file]);
  return parseKey(readIfThere(path) ?? createKeyFile(path, dataDir, generation), path);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError(`cannot read ${path}`, { cause: error });
  }
}

function createKeyFile(path: string, dataDir: string, generation: number): string {
  const digits = randomBytes(KEY_BYTES).toString('hex');
  const text = generation === 1 ? `${digits}\n` : `${digits} ${generation}\n`;
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  try {
    // A link fails where the name is taken: the second server uses the key of the first.
    linkSync(draft, path);
    syncFolder(dataDir);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readFileSync(path, 'utf8');
    throw error;
  } finally {
    unlinkSync(draft);
  }
}

/**
 * Names the files after their new roles: the next key becomes `secret.key`, and that one `secret.key.old`. There is a
 * `secret.key` at each moment, and an interrupted call can be repeated.
 */
export function promoteNextKey(dataDir: string): void {
  const path = (file: KeyFile) => join(dataDir, KEY_FILES[file]);
  rmSync(path('old'), { force: true });
  linkSync(path('current'), path('old'));
  syncFolder(dataDir);
  renameSync(path('next'), path('current'));
  syncFolder(dataDir);
}

/** Deletes the file of the key before. */
export function removeOldKeyFile(dataDir: string): void {
  rmSync(join(dataDir, KEY_FILES.old), { force: true });
  syncFolder(dataDir);
}

function syncFolder(dataDir: string): void {
  const folder = openSync(dataDir, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
