// The thread that reads lines, over a connection of its own.
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import {
  type Failure,
  openThreadReader,
  type ReaderSettings,
  type ThreadReader,
  toFailure,
} from '@quarterdeck/core/db';
import { AppError } from '@quarterdeck/core/plain';
import { type PackedRefusal, packRefusal } from '@quarterdeck/core/threads';
import { Budget, SEARCH_MS } from './budget.ts';
import { type LineAnswer, readLines, type ThreadRead } from './read-lines.ts';

/** Data that the thread is started with. */
export interface ReaderThreadStart {
  readonly settings: ReaderSettings;
  /** Other threads go first: a search may take seconds. */
  readonly yields: boolean;
}

/** Request to the thread: a read, or to close. */
export type ReaderRequest =
  | {
      readonly kind: 'read';
      readonly read: ThreadRead;
      /** Unix seconds. */
      readonly nowS: number;
      /** Becomes 1 when nobody waits for the answer. */
      readonly cancelled: Int32Array;
    }
  | { readonly kind: 'close' };

/** Answer of the thread to a read. */
export type ReaderAnswer =
  | ({ readonly kind: 'read' } & LineAnswer)
  | { readonly kind: 'refused'; readonly refusal: PackedRefusal }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** A third of the share of other threads where all are busy. */
const NICENESS = 5;

const { settings, yields } = workerData as ReaderThreadStart;
// Only Linux has priorities of threads: elsewhere the whole process would get it.
if (yields && process.platform === 'linux') setPriority(NICENESS);
let opened: Promise<ThreadReader> | undefined;

async function answer({ read, nowS, cancelled }: ReaderRequest & { kind: 'read' }): Promise<ReaderAnswer> {
  try {
    opened ??= openThreadReader(settings);
    const reader = await opened;
    const { dialect } = reader;
    const budget = new Budget(SEARCH_MS, cancelled);
    return { kind: 'read', ...(await reader.snapshot((sql) => readLines({ sql, dialect, budget, nowS }, read))) };
  } catch (error) {
    if (error instanceof AppError) return { kind: 'refused', refusal: packRefusal(error) };
    return { kind: 'failed', failure: toFailure(error) };
  }
}

const port = parentPort;
port?.on('message', async (request: ReaderRequest) => {
  if (request.kind === 'read') {
    port.postMessage(await answer(request));
    return;
  }
  await (await opened?.catch(() => undefined))?.close();
  port.close();
});
