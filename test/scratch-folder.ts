// Temporary files of all tests are in one folder, in memory where that is possible: nothing here is about a power cut, and
// much of the time would go into waiting for the disk.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryFolder } from './memory-folder.ts';

/** Sets TMPDIR for the workers, which are started later. */
export function setup(): () => void {
  const folder = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'qd-'));
  // A short name, as the path of a socket may not be long. PostgreSQL does not run as root, and has its own folder in here.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
