import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Opens a file for the time of `use` and returns its result; undefined when the file cannot be opened or read. */
export async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return await use(file);
  } catch {
    return undefined;
  }
}
