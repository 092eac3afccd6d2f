// Keeps the compiled modules of servers under test: all threads but the first start in half the time, and without the
// WebAssembly that strips types.
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

enableCompileCache(join(tmpdir(), 'compiled'));
