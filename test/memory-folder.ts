import { existsSync, statfsSync } from 'node:fs';

const SHARED_MEMORY = '/dev/shm';
/** Room that the files of all tests have plenty of. */
const ROOM_BYTES = 4_000_000_000;

/** A folder that is kept in memory, where there is one with room. */
export function memoryFolder(): string | undefined {
  if (!existsSync(SHARED_MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  return bavail * bsize >= ROOM_BYTES ? SHARED_MEMORY : undefined;
}
