import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** All that a program under test finds in its environment: where programs are, and where it may keep what it compiles. */
export function programEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: join(tmpdir(), 'compiled') };
}
