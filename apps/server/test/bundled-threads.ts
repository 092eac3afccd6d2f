// Lets servers under test start their threads from the bundles that `bundle-threads.ts` has written.
import { existsSync } from 'node:fs';
import { createRequire, enableCompileCache, syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Worker, WorkerOptions } from 'node:worker_threads';
import { threadsFolder } from './threads-folder.ts';

// Threads keep their compiled modules.
enableCompileCache(join(tmpdir(), 'compiled'));

const threads = createRequire(import.meta.url)('node:worker_threads') as { Worker: typeof Worker };

/** The bundle of a thread; other files as they are. */
function bundled(file: string | URL): string | URL {
  if (!(file instanceof URL) || !file.pathname.endsWith('.worker.ts')) return file;
  const path = join(threadsFolder(), basename(file.pathname).replace(/\.ts$/, '.js'));
  return existsSync(path) ? pathToFileURL(path) : file;
}

const NAME = 'BundledWorker';
if (threads.Worker.name !== NAME) {
  const Original = threads.Worker;
  threads.Worker = class BundledWorker extends Original {
    constructor(file: string | URL, options?: WorkerOptions) {
      super(bundled(file), options);
    }
  };
  syncBuiltinESMExports();
}
