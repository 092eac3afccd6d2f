// The files of the host, read so that none of them can hurt: missing ones are empty, huge ones are cut, pipes do not block.
import { constants } from 'node:fs';
import { access, open, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Files below one root. Nothing here throws: what cannot be read is empty. */
export interface Files {
  /** The first 256 KiB of a file. */
  bytes(path: string): Promise<Buffer>;
  /** The same as text; bytes that are not UTF-8 become U+FFFD. */
  text(path: string): Promise<string>;
  /** Where a symbolic link points to. */
  link(path: string): Promise<string>;
  exists(path: string): Promise<boolean>;
}

const LIMIT_BYTES = 256 * 1024;

async function readStart(path: string): Promise<Buffer> {
  // Non-blocking, so that opening a named pipe returns at once.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const buffer = Buffer.alloc(LIMIT_BYTES);
  let length = 0;
  // Files of /proc say that they are empty and come in pieces: only reading on until the end tells.
  while (length < LIMIT_BYTES) {
    const { bytesRead } = await file.read(buffer, length, LIMIT_BYTES - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return Buffer.from(buffer.subarray(0, length));
}

/** The files below `root`; `/` is this host. */
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
