// The main thread's side of the thread that packs.
import { Worker } from 'node:worker_threads';
import { DamagedPart } from '../segments/damage.ts';
import type { StoredSegment } from '../tables/segment-rows.ts';
import type { PackingAnswer } from './packing.worker.ts';
import { type PackingTask, runTask, transferable } from './packing-task.ts';

/** File of the thread, compiled if this one is. */
const file = new URL(`./packing.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
/**
 * Bytes and lines up to which a task takes less time than the start of the thread. Lines count because each may have
 * 128 fields, and a million equal values are a few bytes.
 */
const SMALL_BYTES = 128 * 1024;
const SMALL_LINES = 100;
/** Time after which a thread without work ends, which gives its memory back. */
const IDLE_MS = 5_000;
/** A larger young generation would take 40 MB more, at the same speed. */
const YOUNG_MB = 8;
const HEAP_MB = 512;

/** Tells whether a task runs where it is. */
export function isSmall({ segments }: Pick<PackingTask, 'segments'>): boolean {
  let [bytes, lines] = [0, 0];
  for (const segment of segments) {
    bytes += segment.bytes + segment.numbers.byteLength;
    lines += segment.n;
  }
  return bytes <= SMALL_BYTES && lines <= SMALL_LINES;
}

/** Packs one task at a time. */
export class PackingThread {
  #worker: Worker | undefined;
  #asked: PromiseWithResolvers<StoredSegment[]> | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** Runs a task, on the thread unless it is small. The bytes of its segments may be gone afterwards. */
  async run(task: PackingTask): Promise<StoredSegment[]> {
    if (isSmall(task)) return runTask(task);
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    // Only a task keeps the process alive: the last one runs while a server stops.
    worker.ref();
    this.#asked = Promise.withResolvers();
    worker.postMessage(task, transferable(task.segments));
    try {
      return await this.#asked.promise;
    } finally {
      this.#asked = undefined;
      worker.unref();
      this.#idle = setTimeout(() => void this.end(), IDLE_MS).unref();
    }
  }

  /** Ends the thread. The next task starts another one. */
  async end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
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
    worker.on('message', (answer: PackingAnswer) => {
      if (answer.kind === 'packed') this.#asked?.resolve(answer.segments);
      else if (answer.kind === 'damaged')
        this.#asked?.reject(new DamagedPart(answer.segment, answer.part, answer.cause));
      else this.#asked?.reject(answer.error);
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#asked?.reject(new Error('The thread that packs lines has ended.', { cause }));
    });
    return worker;
  }
}
