// The thread of the upkeep of a database file. Its end is the answer.
import { workerData } from 'node:worker_threads';
import { copyLog, rewriteFile } from './upkeep.ts';

/** Data that the thread is started with. */
export interface UpkeepStart {
  readonly file: string;
  /** `copy log` runs beside writes; `end log` and `rewrite` do not. */
  readonly task: 'rewrite' | 'copy log' | 'end log';
}

const { file, task } = workerData as UpkeepStart;
if (task === 'rewrite') rewriteFile(file);
else copyLog(file, task === 'end log');
