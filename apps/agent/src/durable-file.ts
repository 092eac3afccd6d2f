// Files that a crash or a full disk leaves as they were or as they shall be, never half written.
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** For the owner alone. */
export const FILE_MODE = 0o600;
export const DIR_MODE = 0o700;

/** Makes what was renamed or removed in a folder last. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

/** Writes a file in one piece; when this returns, it is on the disk. A draft beside it is gone if it cannot be written. */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.tmp`;
  try {
    // A left-over of a crash goes first: `wx` never writes through what somebody else put there.
    await rm(draft, { force: true });
    {
      await using file = await open(draft, 'wx', FILE_MODE);
      await file.writeFile(content);
      await file.sync();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}
