// The thread that copies a database. Its only message is the result; any message to it aborts the copy.
import { parentPort, workerData } from 'node:worker_threads';
import { toFailure } from '../failure.ts';
import { type CopyReport, type CopyStart, copyDatabase } from './copy-database.ts';

const { source, target } = workerData as CopyStart;
const aborting = new AbortController();
parentPort?.once('message', () => aborting.abort());
const report: CopyReport = await copyDatabase(source, target, aborting.signal).then(
  (copy) => ({ copy }),
  (error: unknown) => ({ failure: toFailure(error) }),
);
parentPort?.postMessage(report);
