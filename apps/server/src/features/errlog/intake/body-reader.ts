// Hands bodies to threads that parse them. All queues are bounded: each sender has one body parsed at a time and a
// few waiting, and there is a limit for all together. Senders beyond it are asked to retry.
import { Worker } from 'node:worker_threads';
import { AppError } from '@quarterdeck/core';
import { unpackRefusal } from '@quarterdeck/core/threads';
import type { Logger } from 'pino';
import type { ReadAnswer, ReadRequest } from './body-reader.worker.ts';
import type { IncomingBody } from './incoming.ts';
import type { PackedBatch } from './packed-batch.ts';

/** Bodies parsed at once, each on a thread: one may take long, and the others need not wait for it. */
const THREADS = 2;
/** Most bodies that wait, of one sender and of all. */
const WAITING_OF_ONE = 64;
const WAITING_OF_ALL = 256;
/** Most bytes that wait, as they arrived. */
const WAITING_BYTES = 32 * 1024 * 1024;
/** Idle time after which a thread ends. It ends at once with a heap this large, because V8 does not shrink it. */
const IDLE_MS = 10_000;
const IDLE_HEAP_BYTES = 48 * 1024 * 1024;
/** Memory of one parse in megabytes. The limits of bodies keep every body below it. */
const HEAP_MB = 512;
/** Megabytes of a thread's young generation. */
const YOUNG_MB = 16;

/** Parses bodies on threads. */
export interface BodyReader {
  /**
   * Parses a body. `nowS` is the time of lines without one, in Unix seconds; `hashed` asks for the hash of the body.
   *
   * @throws AppError as `readBody` and `readOtlp`, and `overloaded` if too many bodies wait
   */
  read(body: IncomingBody, nowS: number, hashed: boolean): Promise<PackedBatch>;
  /** Bodies wait or are parsed. */
  readonly isReading: boolean;
  /** Ends the threads and rejects the bodies that are not parsed. */
  close(): Promise<void>;
}

interface Job {
  readonly request: ReadRequest;
  /** Time of its arrival, as `performance.now`. */
  readonly sinceMs: number;
  readonly resolve: (batch: PackedBatch) => void;
  readonly reject: (error: unknown) => void;
}

/** The bodies of one sender. */
interface SenderQueue {
  readonly jobs: Job[];
  reading: boolean;
}

/** File of the thread, compiled if this one is. */
const file = new URL(`./body-reader.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** A thread that reads one body at a time, as the queues need it. */
export type BodyThread = Pick<ReaderThread, 'busy' | 'read' | 'startIdle' | 'end'>;

/** Creates a reader. The first bodies start its threads. */
export function createBodyReader(
  log: Logger,
  isLate: (waitedMs: number) => boolean,
  createThread: () => BodyThread = () => new ReaderThread(log),
): BodyReader {
  // The queue at the front was served the longest time ago.
  const queues = new Map<string, SenderQueue>();
  const threads = Array.from({ length: THREADS }, createThread);
  let waiting = 0;
  let waitingBytes = 0;

  function startNext(): void {
    for (const thread of threads) {
      if (thread.busy) continue;
      const next = [...queues].find(([, { jobs, reading }]) => jobs.length > 0 && !reading);
      if (next === undefined) return;
      void run(thread, ...next);
    }
  }

  async function run(thread: BodyThread, key: string, queue: SenderQueue): Promise<void> {
    const job = queue.jobs.shift() as Job;
    queue.reading = true;
    queues.delete(key);
    queues.set(key, queue);
    waiting -= 1;
    waitingBytes -= job.request.body.bytes.length;
    if (isLate(performance.now() - job.sinceMs)) job.reject(new AppError('overloaded'));
    else await thread.read(job.request).then(job.resolve, job.reject);
    queue.reading = false;
    if (queue.jobs.length === 0) queues.delete(key);
    startNext();
    if (!thread.busy) thread.startIdle();
  }

  return {
    get isReading() {
      return waiting > 0 || threads.some(({ busy }) => busy);
    },
    read(body, nowS, hashed) {
      const key = `${body.from.credential} ${body.from.address}`;
      const queue = queues.get(key) ?? { jobs: [], reading: false };
      const { length } = body.bytes;
      const isFull = waiting >= WAITING_OF_ALL || (waiting > 0 && waitingBytes + length > WAITING_BYTES);
      if (isFull || queue.jobs.length >= WAITING_OF_ONE) return Promise.reject(new AppError('overloaded'));
      queues.set(key, queue);
      waiting += 1;
      waitingBytes += length;
      return new Promise((resolve, reject) => {
        queue.jobs.push({ request: { body, nowS, hashed }, sinceMs: performance.now(), resolve, reject });
        startNext();
      });
    },
    async close() {
      for (const { jobs } of queues.values()) {
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

  async read(request: ReadRequest): Promise<PackedBatch> {
    clearTimeout(this.#idle);
    this.#reading = Promise.withResolvers();
    const bytes = ownBytes(request.body.bytes);
    this.#worker ??= this.#start();
    this.#worker.postMessage({ ...request, body: { ...request.body, bytes } } satisfies ReadRequest, [bytes.buffer]);
    try {
      return await this.#reading.promise;
    } finally {
      this.#reading = undefined;
    }
  }

  /** Starts the idle time, or ends a thread with a large heap. */
  startIdle(): void {
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
    // Without the environment: it contains secrets that the thread does not need.
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
      // A thread that was asked to end is no longer this one.
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#log.error({ err: cause }, 'the thread that reads bodies has ended; the next body starts another one');
      this.#reading?.reject(new AppError('overloaded', { cause }));
    });
    worker.unref();
    return worker;
  }
}

/** Returns bytes that can be transferred: small buffers of Node share their memory. */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isWhole = bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength;
  return isWhole ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}
