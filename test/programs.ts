// Real programs for tests. A test whose program is missing is skipped, and fails in CI.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Path of a program, or undefined. `rival` is a program that excludes it on Debian: beside that it may be missing in
 * CI too.
 */
export function findProgram(name: string, rival?: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // It is not in this folder.
    }
  }
  if (rival !== undefined && findProgram(rival) !== undefined) return undefined;
  if (process.env['CI'] === 'true') throw new Error(`${name} is missing; in CI it must be there`);
  return undefined;
}
