// Hands bodies to threads that read them. Bounded in every direction: each sender has one body read at a time and a few
// waiting, all together some more, and who sends more is asked to come again.
import { Worker } from 'node:worker_threads';
import { AppError } from '@quarterdeck/core';
import type { Logger } from 'pino';
import type { ReadAnswer, ReadOrder } from './body-reader.worker.ts';
import type { IncomingBody } from './incoming.ts';
import { ownBytes } from './own-bytes.ts';
import type { PackedBatch } from './packed-batch.ts';
import { unpackRefusal } from './refusal.ts';

/** Bodies that are read at once, each on a thread: one may take long, and the others are not to wait for it. */
const THREADS = 2;
/** Bodies that wait: of one sender, and of all. */
const WAITING_OF_ONE = 64;
const WAITING_OF_ALL = 256;
/** Bytes of them, as they came. */
const WAITING_BYTES = 32 * 1024 * 1024;
/** A thread with nothing to do ends after this time, or at once with a heap this large: V8 gives nothing back by itself. */
const IDLE_MS = 10_000;
const IDLE_HEAP_BYTES = 48 * 1024 * 1024;
/** Megabytes that reading one body may take; the bounds of bodies keep all but a fault of ours below. */
const HEAP_MB = 512;
/** Megabytes of a thread's young generation. */
const YOUNG_MB = 16;

/** Reads bodies on threads. */
export interface BodyReader {
  /**
   * Reads a body. `nowS` is the time of lines that do not say theirs, in Unix seconds; `hashed` asks for the hash of the body.
   *
   * @throws AppError as `readBody` and `readOtlp`, and `overloaded` where too many bodies wait already
   */
  read(body: IncomingBody, nowS: number, hashed: boolean): Promise<PackedBatch>;
  /** Ends the threads; what they have not read is refused. */
  close(): Promise<void>;
}

interface Job {
  readonly order: ReadOrder;
  readonly resolve: (batch: PackedBatch) => void;
  readonly reject: (error: unknown) => void;
}

/** The bodies of one sender. */
interface Lane {
  readonly jobs: Job[];
  reading: boolean;
}

/** The thread's file, compiled or not, as this one is. */
const file = new URL(`./body-reader.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** A reader; its threads are started by the first bodies. */
export function createBodyReader(log: Logger): BodyReader {
  // The lane at the front had its turn the longest time ago.
  const lanes = new Map<string, Lane>();
  const threads = Array.from({ length: THREADS }, () => new ReaderThread(log));
  let waiting = 0;
  let waitingBytes = 0;

  function startNext(): void {
    for (const thread of threads) {
      if (thread.busy) continue;
      const next = [...lanes].find(([, { jobs, reading }]) => jobs.length > 0 && !reading);
      if (next === undefined) return;
      void run(thread, ...next);
    }
  }

  async function run(thread: ReaderThread, key: string, lane: Lane): Promise<void> {
    const job = lane.jobs.shift() as Job;
    lane.reading = true;
    lanes.delete(key);
    lanes.set(key, lane);
    waiting -= 1;
    waitingBytes -= job.order.body.bytes.length;
    await thread.read(job.order).then(job.resolve, job.reject);
    lane.reading = false;
    if (lane.jobs.length === 0) lanes.delete(key);
    startNext();
    if (!thread.busy) thread.rest();
  }

  return {
    read(body, nowS, hashed) {
      const key = `${body.from.name} ${body.from.address}`;
      const lane = lanes.get(key) ?? { jobs: [], reading: false };
      const { length } = body.bytes;
      const isFull = waiting >= WAITING_OF_ALL || (waiting > 0 && waitingBytes + length > WAITING_BYTES);
      if (isFull || lane.jobs.length >= WAITING_OF_ONE) return Promise.reject(new AppError('overloaded'));
      lanes.set(key, lane);
      waiting += 1;
      waitingBytes += length;
      return new Promise((resolve, reject) => {
        lane.jobs.push({ order: { body, nowS, hashed }, resolve, reject });
        startNext();
      });
    },
    async close() {
      for (const { jobs } of lanes.values()) {
        for (const { reject } of jobs.splice(0)) reject(new AppError('shutting_down'));
      }
      await Promise.all(threads.map((thread) => thread.end()));
    },
  };
}

/** A thread that reads one body at a time. */
class ReaderThread {
  readonly #log: Logger;
  #worker: Worker | undefined;
  #reading: PromiseWithResolvers<PackedBatch> | undefined;
  #heapBytes = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  get busy(): boolean {
    return this.#reading !== undefined;
  }

  async read(order: ReadOrder): Promise<PackedBatch> {
    clearTimeout(this.#idle);
    this.#reading = Promise.withResolvers();
    const bytes = ownBytes(order.body.bytes);
    this.#worker ??= this.#start();
    this.#worker.postMessage({ ...order, body: { ...order.body, bytes } } satisfies ReadOrder, [bytes.buffer]);
    try {
      return await this.#reading.promise;
    } finally {
      this.#reading = undefined;
    }
  }

  /** There is nothing to do for now. */
  rest(): void {
    if (this.#heapBytes > IDLE_HEAP_BYTES) void this.end();
    else this.#idle = setTimeout(() => void this.end(), IDLE_MS).unref();
  }

  async end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#reading?.reject(new AppError('shutting_down'));
    await worker?.terminate();
  }

  #start(): Worker {
    // Without the environment: there are secrets in it, and the thread needs none of it.
    const worker = new Worker(file, {
      env: {},
      execArgv: file.pathname.endsWith('.ts') ? ['--conditions=@quarterdeck/source'] : [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: HEAP_MB },
    });
    let cause: unknown;
    worker.on('message', (answer: ReadAnswer) => {
      this.#heapBytes = answer.heapBytes;
      if (answer.kind === 'read') this.#reading?.resolve(answer.batch);
      else this.#reading?.reject(answer.kind === 'refused' ? unpackRefusal(answer.refusal) : answer.error);
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      // One that was told to end is not this thread's any more.
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#log.error({ err: cause }, 'the thread that reads bodies has ended; the next body starts another one');
      this.#reading?.reject(new AppError('overloaded', { cause }));
    });
    worker.unref();
    return worker;
  }
}
