// The key of the hashes: random, made once, and readable for the agent only.
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DIR_MODE, writeDurably } from '../../files/durable-file.ts';

const KEY_BYTES = 32;

/** See the head of this file. */
export interface HashKey {
  readonly bytes: Buffer;
  /** Names the key without revealing it. */
  readonly id: string;
}

const named = (bytes: Buffer): HashKey => ({
  bytes,
  id: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
});

/** Reads the key in a folder, or makes a new one where there is none. */
export async function loadKey(dir: string): Promise<HashKey> {
  const path = join(dir, 'key');
  const stored = await readFile(path).catch(() => undefined);
  if (stored?.length === KEY_BYTES) return named(stored);
  const bytes = randomBytes(KEY_BYTES);
  await mkdir(dir, { recursive: true, mode: DIR_MODE });
  await writeDurably(path, bytes);
  return named(bytes);
}
