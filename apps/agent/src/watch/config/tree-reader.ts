// Reads the files of configuration trees and hashes them with a key.
import { createHmac } from 'node:crypto';
import type { Stats } from 'node:fs';
import { codeOf } from '../../files/error-code.ts';
import { openSafely, type RefusalReason } from '../../files/safe-open.ts';

/** Bytes of a file that are hashed. */
export const FILE_MAX_BYTES = 1024 * 1024;
/** Bytes that one look reads. */
const LOOK_MAX_BYTES = 64 * 1024 * 1024;

/** Codes of files that are compared by size and time. A hard link may be to a file of somebody else. */
const DENIED: readonly string[] = ['EACCES', 'EPERM', 'hard_link' satisfies RefusalReason];

/** The start of a file, and its hash. */
export interface ReadFile {
  readonly hash: string;
  /** Valid until the next file is read. */
  readonly content: Buffer;
}

/** The paths of a tree are real ones: a link in one is new. */
const NO_LINKS = { linkRoots: () => [] };

/** Reads a file; `denied` where the agent may not, undefined where it fails otherwise or the look has read enough. */
export type ReadEntry = (path: string, stats: Stats) => Promise<ReadFile | 'denied' | undefined>;

/** Hashes a content with a key. Of a file that is only read in part, the size and the time count too. */
export function hashOf(key: Buffer, content: Uint8Array, { size, mtimeMs }: { size: number; mtimeMs: number }): string {
  const hmac = createHmac('sha256', key).update(content);
  if (size > FILE_MAX_BYTES) hmac.update(`${size} ${mtimeMs}`);
  return hmac.digest('hex');
}

/** Hashes what is known of a file that the agent may not read. */
export const hashOfStats = (key: Buffer, { size, mtimeMs }: { size: number; mtimeMs: number }): string =>
  createHmac('sha256', key).update(`${size} ${mtimeMs}`).digest('hex');

/** Creates the function that reads the files of one look. */
export function createReader(key: Buffer): ReadEntry {
  let left = LOOK_MAX_BYTES;
  let room: Buffer | undefined;
  return async (path, stats) => {
    if (left <= 0) return undefined;
    try {
      await using file = await openSafely(path, NO_LINKS);
      const opened = await file.stat();
      // The file must be the listed one.
      if (opened.ino !== stats.ino || opened.dev !== stats.dev) return undefined;
      room ??= Buffer.allocUnsafeSlow(FILE_MAX_BYTES);
      const { bytesRead } = await file.read(room, { position: 0, length: FILE_MAX_BYTES });
      left -= bytesRead;
      const content = room.subarray(0, bytesRead);
      return { hash: hashOf(key, content, stats), content };
    } catch (error) {
      return DENIED.includes(codeOf(error)) ? 'denied' : undefined;
    }
  };
}
