import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Environment of a program under test: the path of programs, and a folder for its compile cache. */
export function programEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: join(tmpdir(), 'compiled') };
}

/**
 * Flags of Node.js for a program under test that runs from its sources. Most live for a second, in which optimizing the
 * WebAssembly of Prisma would take a fifth of the processor time.
 */
export const PROGRAM_FLAGS = ['--conditions=@quarterdeck/source', '--liftoff-only'];
