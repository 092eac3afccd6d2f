// Keeps what V8 has compiled of this program for the next start: a third of what a start takes is compiling.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import envPaths from 'env-paths';

/**
 * From here on modules are compiled once and then read, and what is compiled is written when the process ends. In a
 * folder of the user's own: whoever can write there says what this program does. Where that cannot be written nothing
 * is kept, and nothing is the worse for it.
 */
export function keepCompiled(): void {
  enableCompileCache(join(envPaths('quarterdeck', { suffix: '' }).cache, 'compiled'));
}
