import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Environment of a program under test: the path of programs, and a folder for its compile cache. */
export function programEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: join(tmpdir(), 'compiled') };
}
