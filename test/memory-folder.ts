import { existsSync, statfsSync } from 'node:fs';

const SHARED_MEMORY = '/dev/shm';
/** Space that suffices for the files of all tests. */
const ROOM_BYTES = 4_000_000_000;

/** A folder in memory with enough space, if there is one. */
export function memoryFolder(): string | undefined {
  if (!existsSync(SHARED_MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  return bavail * bsize >= ROOM_BYTES ? SHARED_MEMORY : undefined;
}
