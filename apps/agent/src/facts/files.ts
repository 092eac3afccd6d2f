// Reads files of the host safely: missing files are empty, huge ones are cut, pipes and links of others are not read.
import { access, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { openSafely } from '../files/safe-open.ts';

/** Files below one root. Nothing here throws: an unreadable file is empty. */
export interface Files {
  /** Reads the first 256 KiB of a file. */
  bytes(path: string): Promise<Buffer>;
  /** Reads the same as text; bytes that are not UTF-8 become U+FFFD. */
  text(path: string): Promise<string>;
  /** Reads the target of a symbolic link. */
  link(path: string): Promise<string>;
  exists(path: string): Promise<boolean>;
}

const LIMIT_BYTES = 256 * 1024;
const CHUNK_BYTES = 8 * 1024;

async function readStart(path: string): Promise<Buffer> {
  await using file = await openSafely(path);
  const chunks: Buffer[] = [];
  let length = 0;
  // Files of /proc report size 0 and come in pieces, so only reading to the end finds their length.
  while (length < LIMIT_BYTES) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES));
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(chunks).subarray(0, LIMIT_BYTES);
}

/** Files below `root`; `/` is this host. */
export function filesBelow(root: string): Files {
  const bytes = (path: string): Promise<Buffer> => readStart(join(root, path)).catch(() => Buffer.alloc(0));
  return {
    bytes,
    text: async (path) => (await bytes(path)).toString('utf8'),
    link: (path) => readlink(join(root, path)).catch(() => ''),
    exists: (path) =>
      access(join(root, path)).then(
        () => true,
        () => false,
      ),
  };
}
