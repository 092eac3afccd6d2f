// One thread that reads lines.
import { Worker } from 'node:worker_threads';
import { fromFailure } from '@quarterdeck/core/db';
import { AppError } from '@quarterdeck/core/plain';
import { unpackRefusal } from '@quarterdeck/core/threads';
import type { Logger } from 'pino';
import type { ReaderAnswer, ReaderRequest, ReaderThreadStart } from './line-reader.worker.ts';
import type { LineAnswer, ThreadRead } from './read-lines.ts';
import type { LineReader } from './search-queue.ts';

/** Idle time after which a thread ends. */
const IDLE_MS = 20_000;
/** Time that a thread has to end by itself. */
const CLOSE_MS = 2_000;
/** Memory of a thread in megabytes, without the blocks that it searches. */
const HEAP_MB = 256;
/**
 * Megabytes of a thread's young generation. With 2 it takes half as much time again for the values of a field: the
 * groups of each segment are garbage before the next one, and a small generation keeps many of them.
 */
const YOUNG_MB = 16;

/** File of the thread, compiled if this one is. */
const FILE = new URL(`./line-reader.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** A thread that reads one thing at a time. It starts with the first read. */
export class LineReaderThread implements LineReader<ThreadRead> {
  readonly #start: ReaderThreadStart;
  readonly #log: Logger;
  readonly #file: URL;
  #worker: Worker | undefined;
  #reading: PromiseWithResolvers<LineAnswer> | undefined;
  #cancelled = new Int32Array(new SharedArrayBuffer(4));
  #idle: NodeJS.Timeout | undefined;

  constructor(start: ReaderThreadStart, log: Logger, file = FILE) {
    this.#start = start;
    this.#log = log;
    this.#file = file;
  }

  get busy(): boolean {
    return this.#reading !== undefined;
  }

  async read(read: ThreadRead, nowS: number): Promise<LineAnswer> {
    clearTimeout(this.#idle);
    const reading = Promise.withResolvers<LineAnswer>();
    this.#reading = reading;
    this.#cancelled = new Int32Array(new SharedArrayBuffer(4));
    this.#worker ??= this.#startWorker();
    this.#worker.postMessage({ kind: 'read', read, nowS, cancelled: this.#cancelled } satisfies ReaderRequest);
    try {
      return await reading.promise;
    } finally {
      this.#reading = undefined;
      this.#idle = setTimeout(() => void this.end(), IDLE_MS).unref();
    }
  }

  cancel(): void {
    Atomics.store(this.#cancelled, 0, 1);
  }

  async end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#reading?.reject(new AppError('shutting_down'));
    if (worker === undefined) return;
    this.cancel();
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.postMessage({ kind: 'close' } satisfies ReaderRequest);
    const timer = setTimeout(() => void worker.terminate(), CLOSE_MS);
    await ended;
    clearTimeout(timer);
  }

  #startWorker(): Worker {
    // Without the environment: it contains secrets that the thread does not need.
    const worker = new Worker(this.#file, {
      workerData: this.#start,
      env: {},
      execArgv: this.#file.pathname.endsWith('.ts') ? ['--conditions=@quarterdeck/source'] : [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: HEAP_MB },
    });
    let cause: unknown;
    worker.on('message', (answer: ReaderAnswer) => {
      if (answer.kind === 'read') this.#reading?.resolve(answer);
      else
        this.#reading?.reject(answer.kind === 'refused' ? unpackRefusal(answer.refusal) : fromFailure(answer.failure));
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      // A thread that was asked to end is no longer this one.
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#log.error({ err: cause }, 'a thread that reads lines has ended; the next search starts another one');
      this.#reading?.reject(new AppError('overloaded', { cause }));
    });
    worker.unref();
    return worker;
  }
}
