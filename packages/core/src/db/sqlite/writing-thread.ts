// The main thread's side of a thread that writes.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ThreadOptions, WritingThread } from '../database.ts';
import { DatabaseError } from '../database-error.ts';
import { fromFailure } from '../failure.ts';
import type { ThreadOrder, ThreadReport, ThreadStart } from './thread-messages.ts';

/** Megabytes of the thread's young generation: most of what a batch leaves behind dies there. */
const YOUNG_MB = 16;

/** Where a thread's writes take their turns. */
export interface ThreadTurns {
  readonly file: string;
  /** What one write may take. */
  readonly turnMs: number;
  /** Runs a write in its turn; it is given for how long it may wait for somebody else's lock. */
  run<T>(write: (patienceMs: number) => Promise<T>): Promise<T>;
  /** Called where there was no space for something. */
  onFull(): void;
}

/** Where compiled modules are kept, if anywhere. Nothing else of the environment: there are secrets in it. */
function threadEnvironment(): Record<string, string> {
  // biome-ignore lint/style/noProcessEnv: a setting of Node, which is passed on
  const folder = process.env['NODE_COMPILE_CACHE'];
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}

/** Makes a thread; it is started by its first message. */
export function createWritingThread<Message, Answer>(
  turns: ThreadTurns,
  { file, settings, onLost }: ThreadOptions,
): WritingThread<Message, Answer> {
  let worker: Worker | undefined;
  let asked: PromiseWithResolvers<unknown> | undefined;
  let closing: Promise<void> | undefined;

  function start(): Worker {
    const started = new Worker(file, {
      workerData: { file: turns.file, turnMs: turns.turnMs, settings } satisfies ThreadStart,
      env: threadEnvironment(),
      execArgv: file.pathname.endsWith('.ts') ? ['--conditions=@quarterdeck/source'] : [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    let cause: unknown;
    started.on('message', (report: ThreadReport) => {
      if (report.full) turns.onFull();
      if (report.kind === 'written') asked?.resolve(report.answer);
      else asked?.reject(fromFailure(report.failure));
    });
    started.on('error', (error) => {
      cause = error;
    });
    // By now its connection is closed, and what it had not committed rolled back.
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

  const order = (what: ThreadOrder, transfer: readonly ArrayBuffer[] = []) => {
    worker ??= start();
    worker.postMessage(what, transfer);
  };

  async function end(): Promise<void> {
    await asked?.promise.catch(() => {});
    if (worker === undefined) return;
    const ended = once(worker, 'exit');
    order({ kind: 'close' });
    await ended;
  }

  return {
    post(message, transfer) {
      if (closing === undefined) order({ kind: 'message', message }, transfer);
    },
    write: () =>
      turns.run(async (patienceMs) => {
        asked = Promise.withResolvers();
        order({ kind: 'write', patienceMs });
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
