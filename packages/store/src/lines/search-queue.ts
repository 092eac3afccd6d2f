// Searches that wait for a thread. Callers take turns.
import { AppError } from '@quarterdeck/core/plain';
import type { LineReaderThread } from './line-reader-thread.ts';
import type { LineAnswer, LineRead } from './read-lines.ts';

/** Most searches that wait, of all callers and of one. */
export interface WaitingLimits {
  readonly ofAll: number;
  readonly ofOne: number;
}

/** Most searches of one caller that run at once. */
const RUNNING_OF_ONE = 2;

/** A thread as the queue sees it. */
export type SearchThread = Pick<LineReaderThread, 'busy' | 'read' | 'cancel' | 'end'>;

interface Search {
  readonly credential: string;
  readonly read: LineRead;
  readonly nowS: number;
  readonly done: PromiseWithResolvers<LineAnswer>;
}

/** Runs reads on threads, in turns. */
export class SearchQueue {
  readonly #threads: readonly SearchThread[];
  readonly #limits: WaitingLimits;
  #waiting: Search[] = [];
  readonly #running = new Map<SearchThread, Search>();
  /** When each caller was served, as a number that rises. */
  readonly #served = new Map<string, number>();
  #turn = 0;
  #isClosed = false;

  constructor(threads: readonly SearchThread[], limits: WaitingLimits) {
    this.#threads = threads;
    this.#limits = limits;
  }

  /**
   * Runs a read. `nowS` is in Unix seconds.
   *
   * @throws AppError `overloaded` if too many wait, and the reason of `signal` once it is aborted
   */
  async run(credential: string, read: LineRead, nowS: number, signal?: AbortSignal): Promise<LineAnswer> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new AppError('shutting_down');
    const search: Search = { credential, read, nowS, done: Promise.withResolvers() };
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

  /** Rejects all reads and ends the threads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { done } of this.#waiting.splice(0)) done.reject(new AppError('shutting_down'));
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  #isTooLong(credential: string): boolean {
    const own = this.#waiting.filter((search) => search.credential === credential);
    return this.#waiting.length > this.#limits.ofAll || own.length > this.#limits.ofOne;
  }

  #startNext(): void {
    for (const thread of this.#threads) {
      if (thread.busy) continue;
      const next = this.#next();
      if (next === undefined) return;
      void this.#start(thread, next);
    }
  }

  /** The first search of the caller that was served the longest time ago. */
  #next(): Search | undefined {
    const running = [...this.#running.values()];
    const isFree = ({ credential }: Search) =>
      running.filter((search) => search.credential === credential).length < RUNNING_OF_ONE;
    const servedAt = ({ credential }: Search) => this.#served.get(credential) ?? 0;
    const [next] = this.#waiting.filter(isFree).sort((a, b) => servedAt(a) - servedAt(b));
    return next;
  }

  async #start(thread: SearchThread, search: Search): Promise<void> {
    this.#waiting = this.#waiting.filter((other) => other !== search);
    this.#running.set(thread, search);
    this.#turn += 1;
    this.#served.set(search.credential, this.#turn);
    await thread.read(search.read, search.nowS).then(search.done.resolve, search.done.reject);
    this.#running.delete(thread);
    // Nobody waits for a turn: the order starts anew.
    if (this.#waiting.length === 0) this.#served.clear();
    if (!this.#isClosed) this.#startNext();
  }

  #abort(search: Search, reason: unknown): void {
    search.done.reject(reason);
    this.#waiting = this.#waiting.filter((other) => other !== search);
    for (const [thread, running] of this.#running) if (running === search) thread.cancel();
  }
}
