import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates an empty folder. The end of the run removes it, with everything in the folder of `scratch-folder.ts`. */
export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'test-'));
