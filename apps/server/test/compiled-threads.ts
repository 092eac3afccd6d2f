// Threads of servers under test keep what they compile: all but the first begin in half the time, and without the
// WebAssembly that takes the types away.
import { tmpdir } from 'node:os';
import { join } from 'node:path';

process.env['NODE_COMPILE_CACHE'] = join(tmpdir(), 'compiled');
