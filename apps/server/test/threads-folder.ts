import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folder of the bundled threads of a run. */
export const threadsFolder = (): string => join(tmpdir(), 'threads');
