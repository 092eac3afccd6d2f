// The main thread's side of a thread that writes.
import { once } from 'node:events';
import module from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ThreadOptions, WritingThread } from '../database.ts';
import { DatabaseError } from '../database-error.ts';
import { fromFailure } from '../failure.ts';
import type { DiskLimits } from './disk-limits.ts';
import type { ThreadReport, ThreadRequest, ThreadStart } from './thread-messages.ts';

/** Megabytes of the thread's young generation: most garbage of a batch is collected there. */
const YOUNG_MB = 32;

/** The queue of writes, as a thread sees it. */
export interface ThreadQueue {
  readonly file: string;
  readonly limits: DiskLimits;
  /** Time limit of one write. */
  readonly writeMs: number;
  /** Runs a write when the queue reaches it; `write` gets the time for which it may wait for another program's lock. */
  run<T>(write: (lockWaitMs: number) => Promise<T>): Promise<T>;
  /** Called when a transaction found no space. */
  onFull(): void;
}

/** Environment of a thread: the compile cache of this process, and none of the secrets in its own environment. */
function threadEnvironment(): Record<string, string> {
  // Node 22 has it from 22.8 on.
  const folder = module.getCompileCacheDir?.();
  // Node adds a folder named after its version.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/** Creates a thread, which starts with its first message. */
export function createWritingThread<Message, Answer>(
  queue: ThreadQueue,
  { file, settings, onLost }: ThreadOptions,
): WritingThread<Message, Answer> {
  let worker: Worker | undefined;
  let asked: PromiseWithResolvers<unknown> | undefined;
  let closing: Promise<void> | undefined;

  function start(): Worker {
    const started = new Worker(file, {
      workerData: { file: queue.file, limits: queue.limits, writeMs: queue.writeMs, settings } satisfies ThreadStart,
      env: threadEnvironment(),
      execArgv: file.pathname.endsWith('.ts') ? ['--conditions=@quarterdeck/source'] : [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    let cause: unknown;
    started.on('message', (report: ThreadReport) => {
      if (report.full) queue.onFull();
      if (report.kind === 'written') asked?.resolve(report.answer);
      else asked?.reject(fromFailure(report.failure));
    });
    started.on('error', (error) => {
      cause = error;
    });
    // Its connection is closed by now, and an open transaction rolled back.
    started.on('exit', (code) => {
      worker = undefined;
      if (closing !== undefined && cause === undefined && code === 0) return;
      const message = 'The thread that writes has ended.';
      const lost = new DatabaseError('unavailable', message, cause === undefined ? {} : { cause });
      asked?.reject(lost);
      onLost(lost);
    });
    return started;
  }

  const send = (request: ThreadRequest, transfer: readonly ArrayBuffer[] = []) => {
    worker ??= start();
    worker.postMessage(request, transfer);
  };

  async function end(): Promise<void> {
    await asked?.promise.catch(() => {});
    if (worker === undefined) return;
    const ended = once(worker, 'exit');
    send({ kind: 'close' });
    await ended;
  }

  return {
    post(message, transfer) {
      if (closing === undefined) send({ kind: 'message', message }, transfer);
    },
    write: () =>
      queue.run(async (lockWaitMs) => {
        asked = Promise.withResolvers();
        send({ kind: 'write', lockWaitMs });
        try {
          return (await asked.promise) as Answer;
        } finally {
          asked = undefined;
        }
      }),
    close() {
      closing ??= end();
      return closing;
    },
  };
}
