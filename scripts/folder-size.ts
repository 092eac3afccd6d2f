import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the bytes of all files below a folder. Links are not followed. */
export function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(join(folder, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}
