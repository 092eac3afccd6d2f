// Keys of the hashes of files: one of this host, random, made once, and readable for the agent only; later that of the
// installation, which the server hands out, so that hosts can be compared.
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DIR_MODE, writeDurably } from '../../files/durable-file.ts';

const KEY_FILE = 'key';
const KEY_BYTES = 32;

/** A key of hashes. */
export interface HashKey {
  readonly bytes: Buffer;
  /** Names the key without revealing it. */
  readonly id: string;
}

const named = (bytes: Buffer): HashKey => ({
  bytes,
  id: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
});

/** Reads a key that a server hands out, in base64url; undefined where it is none. */
export function readKey(text: string): HashKey | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === KEY_BYTES ? named(bytes) : undefined;
}

/** Stores a key as that of a folder. */
export async function saveKey(dir: string, { bytes }: HashKey): Promise<void> {
  await mkdir(dir, { recursive: true, mode: DIR_MODE });
  await writeDurably(join(dir, KEY_FILE), bytes);
}

/** Reads the key in a folder, or makes a new one where there is none. */
export async function loadKey(dir: string): Promise<HashKey> {
  const stored = await readFile(join(dir, KEY_FILE)).catch(() => undefined);
  if (stored?.length === KEY_BYTES) return named(stored);
  const key = named(randomBytes(KEY_BYTES));
  await saveKey(dir, key);
  return key;
}
