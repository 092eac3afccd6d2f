// Puts temporary files of all tests into one folder, in memory where possible: no test is about a power cut, and
// waiting for the disk would take most of the time.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryFolder } from './memory-folder.ts';

/** Sets TMPDIR for the workers, which start later. */
export function setup(): () => void {
  const folder = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'qd-'));
  // A short name, because the path of a socket is limited. PostgreSQL does not run as root, and has its own folder in
  // here.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
