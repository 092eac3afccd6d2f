// Databases that tests copy, which is faster than creating one for each test.
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DatabaseOptions } from '../src/db/open/index.ts';

const SCRIPT = fileURLToPath(new URL('make-database.ts', import.meta.url));

/** Creates the tables in an empty database, in a process of its own. */
export async function makeTemplate(place: DatabaseOptions): Promise<void> {
  const env = { ...process.env, PLACE: JSON.stringify(place), NODE_COMPILE_CACHE: join(tmpdir(), 'compiled') };
  await promisify(execFile)(process.execPath, ['--conditions=@quarterdeck/source', SCRIPT], { env });
}
