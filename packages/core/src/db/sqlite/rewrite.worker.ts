// The thread that rewrites a database file, which takes longer than the event loop may stand still. Its end is the
// answer.
import { workerData } from 'node:worker_threads';
import { rewriteFile } from './rewrite.ts';

/** Data that the thread is started with. */
export interface RewriteStart {
  readonly file: string;
}

rewriteFile((workerData as RewriteStart).file);
