// Writes files atomically: a crash or a full disk leaves the old content or the new one, never half of it.
import { dirname } from 'node:path';
import { type Disk, SYSTEM_DISK } from './disk.ts';

/** Access for the owner only. */
export const FILE_MODE = 0o600;
export const DIR_MODE = 0o700;

/** Makes renames and deletions in a folder durable. */
export async function syncFolder(path: string, disk: Disk = SYSTEM_DISK): Promise<void> {
  await using folder = await disk.open(path, 'r');
  await folder.sync();
}

/**
 * Replaces a file atomically. It returns once the content is on the disk; a failed write leaves no draft.
 *
 * @param modifiedMs time of modification that the new file has, Unix milliseconds; default: now
 */
export async function writeDurably(
  path: string,
  content: string | Uint8Array,
  modifiedMs?: number,
  disk: Disk = SYSTEM_DISK,
): Promise<void> {
  const draft = `${path}.tmp`;
  try {
    // Removes the draft of a crash first: `wx` never writes through a file or link of somebody else.
    await disk.rm(draft, { force: true });
    {
      await using file = await disk.open(draft, 'wx', FILE_MODE);
      await file.writeFile(content);
      if (modifiedMs !== undefined) await file.utimes(modifiedMs / 1000, modifiedMs / 1000);
      await file.sync();
    }
    await disk.rename(draft, path);
  } catch (error) {
    await disk.rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path), disk);
}
