// Searches that wait for a reader. Callers take turns.
import { AppError } from '@quarterdeck/core/plain';
import type { LineRead } from './answer-read.ts';
import type { LineAnswer } from './read-lines.ts';

/** Most searches that wait, of all callers and of one. */
export interface WaitingLimits {
  readonly ofAll: number;
  readonly ofOne: number;
}

/** Most searches of one caller that run at once. */
const RUNNING_OF_ONE = 2;

/** Reads one thing at a time. */
export interface LineReader<Read = LineRead> {
  readonly busy: boolean;
  /** `nowS` is in Unix seconds. */
  read(read: Read, nowS: number): Promise<LineAnswer>;
  /** Ends the running read soon. */
  cancel(): void;
  /** Rejects the running read. */
  end(): Promise<void>;
}

interface Search<Read> {
  readonly credential: string;
  readonly read: Read;
  readonly nowS: number;
  readonly done: PromiseWithResolvers<LineAnswer>;
}

/** Runs reads on several readers, in turns. */
export class SearchQueue<Read = LineRead> {
  readonly #readers: readonly LineReader<Read>[];
  readonly #limits: WaitingLimits;
  #waiting: Search<Read>[] = [];
  readonly #running = new Map<LineReader<Read>, Search<Read>>();
  /** When each caller was served, as a number that rises. */
  readonly #served = new Map<string, number>();
  #turn = 0;
  #isClosed = false;

  constructor(readers: readonly LineReader<Read>[], limits: WaitingLimits) {
    this.#readers = readers;
    this.#limits = limits;
  }

  /**
   * Runs a read. `nowS` is in Unix seconds.
   *
   * @throws AppError `overloaded` if too many wait, and the reason of `signal` once it is aborted
   */
  async run(credential: string, read: Read, nowS: number, signal?: AbortSignal): Promise<LineAnswer> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new AppError('shutting_down');
    const search: Search<Read> = { credential, read, nowS, done: Promise.withResolvers() };
    this.#waiting.push(search);
    this.#startNext();
    if (this.#isTooLong(credential)) {
      this.#waiting.pop();
      throw new AppError('overloaded');
    }
    const abort = () => this.#abort(search, signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await search.done.promise;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Rejects all reads and ends the readers. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { done } of this.#waiting.splice(0)) done.reject(new AppError('shutting_down'));
    await Promise.all(this.#readers.map((reader) => reader.end()));
  }

  #isTooLong(credential: string): boolean {
    const own = this.#waiting.filter((search) => search.credential === credential);
    return this.#waiting.length > this.#limits.ofAll || own.length > this.#limits.ofOne;
  }

  #startNext(): void {
    for (const reader of this.#readers) {
      if (reader.busy) continue;
      const next = this.#next();
      if (next === undefined) return;
      void this.#start(reader, next);
    }
  }

  /** The first search of the caller that was served the longest time ago. */
  #next(): Search<Read> | undefined {
    const running = [...this.#running.values()];
    const isFree = ({ credential }: Search<Read>) =>
      running.filter((search) => search.credential === credential).length < RUNNING_OF_ONE;
    const servedAt = ({ credential }: Search<Read>) => this.#served.get(credential) ?? 0;
    const [next] = this.#waiting.filter(isFree).sort((a, b) => servedAt(a) - servedAt(b));
    return next;
  }

  async #start(reader: LineReader<Read>, search: Search<Read>): Promise<void> {
    this.#waiting = this.#waiting.filter((other) => other !== search);
    this.#running.set(reader, search);
    this.#turn += 1;
    this.#served.set(search.credential, this.#turn);
    await reader.read(search.read, search.nowS).then(search.done.resolve, search.done.reject);
    this.#running.delete(reader);
    // Nobody waits for a turn: the order starts anew.
    if (this.#waiting.length === 0) this.#served.clear();
    if (!this.#isClosed) this.#startNext();
  }

  #abort(search: Search<Read>, reason: unknown): void {
    search.done.reject(reason);
    this.#waiting = this.#waiting.filter((other) => other !== search);
    for (const [reader, running] of this.#running) if (running === search) reader.cancel();
  }
}
