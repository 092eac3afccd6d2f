// Time and chance of a simulation: the timers, clocks and random numbers of Node, replaced in this process. A seed
// decides all of them, so a run is the same each time. No timer fires by itself: `run` moves the time on.
import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { Random } from './random.ts';

/** A simulated process. Nothing that it has scheduled runs once it is dead. */
export interface SimProcess {
  readonly name: string;
  isAlive: boolean;
  /** Milliseconds by which its wall clock is ahead. */
  clockAheadMs: number;
}

interface Task {
  readonly owner: SimProcess | undefined;
  readonly run: () => void;
}

/** Start of each simulation, Unix milliseconds. */
const START_MS = Date.UTC(2026, 0, 5);
const RealDate = Date;
const realImmediate = setImmediate;

const owners = new AsyncLocalStorage<SimProcess>();
const pending = new Set<Timer>();
let immediates: (Task & { isCleared: boolean })[] = [];
let nowMs = 0;
let lastNumber = 0;
let random = new Random(0);

/** A timer, with the methods that Node's have. */
class Timer {
  readonly #task: Task;
  readonly #delayMs: number;
  readonly #repeats: boolean;
  atMs = 0;
  number = 0;

  constructor(run: () => void, delayMs: number, repeats = false) {
    this.#task = { owner: owners.getStore(), run };
    this.#delayMs = delayMs >= 1 ? Math.min(delayMs, 2 ** 31 - 1) : 1;
    this.#repeats = repeats;
    this.refresh();
  }

  refresh(): this {
    lastNumber += 1;
    this.number = lastNumber;
    this.atMs = nowMs + this.#delayMs;
    pending.add(this);
    return this;
  }

  fire(): void {
    pending.delete(this);
    if (this.#repeats) this.refresh();
    runTask(this.#task);
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  [Symbol.dispose](): void {
    pending.delete(this);
  }
}

function runTask({ owner, run }: Task): void {
  const isAlive = () => owner?.isAlive !== false;
  if (!isAlive()) return;
  try {
    if (owner === undefined) run();
    else owners.run(owner, run);
  } catch (error) {
    // The disk of a process that was killed fails from then on.
    if (isAlive()) throw error;
  }
}

const clear = (timer: unknown) => {
  if (timer instanceof Timer) pending.delete(timer);
};

/** Starts something that calls `done`, and that the signal cancels. */
const abortable = <T>(start: (done: (value: T) => void) => () => void, signal?: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const cancel = start(resolve);
    const abort = () => {
      cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });

const wallMs = () => START_MS + nowMs + (owners.getStore()?.clockAheadMs ?? 0);

class SimDate extends RealDate {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(wallMs());
    else super(...(args as [number]));
  }

  static override now(): number {
    return wallMs();
  }
}

function randomBytesOf(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let i = 0; i < size; i += 1) bytes[i] = random.upTo(255);
  return bytes;
}

function fillRandomly<T extends ArrayBufferView>(view: T): T {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  bytes.set(randomBytesOf(bytes.length));
  return view;
}

function randomUUID(): `${string}-${string}-${string}-${string}-${string}` {
  const hex = randomBytesOf(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Replaces the clocks, the timers and the random numbers of this process. Call it before other modules are loaded. */
export function install(): void {
  Object.assign(globalThis, {
    Date: SimDate,
    setTimeout: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => new Timer(() => run(...args), ms),
    setInterval: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      new Timer(() => run(...args), ms, true),
    setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) => {
      const task = { owner: owners.getStore(), run: () => run(...args), isCleared: false };
      immediates.push(task);
      return task;
    },
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: (task: { isCleared: boolean } | undefined) => {
      if (task !== undefined) task.isCleared = true;
    },
  });
  Object.defineProperty(performance, 'now', { value: () => nowMs });
  Math.random = () => random.fraction();
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException('The operation timed out.', 'TimeoutError')), ms);
    return controller.signal;
  };
  const waiting = {
    setTimeout: <T>(ms: number, value: T, { signal }: { signal?: AbortSignal } = {}) =>
      abortable<T>((done) => {
        const timer = setTimeout(() => done(value), ms);
        return () => clearTimeout(timer);
      }, signal),
    setImmediate: <T>(value: T, { signal }: { signal?: AbortSignal } = {}) =>
      abortable<T>((done) => {
        const task = setImmediate(() => done(value));
        return () => clearImmediate(task);
      }, signal),
  };
  Object.assign(timers, waiting);
  const numbers = {
    randomUUID,
    randomBytes: randomBytesOf,
    randomFillSync: fillRandomly,
    randomInt: (from: number, to?: number) =>
      to === undefined ? random.upTo(from - 1) : from + random.upTo(to - from - 1),
  };
  Object.assign(crypto, numbers);
  Object.defineProperty(globalThis.crypto, 'randomUUID', { value: randomUUID });
  Object.defineProperty(globalThis.crypto, 'getRandomValues', { value: fillRandomly });
  syncBuiltinESMExports();
}

/** Begins a simulation: forgets what was scheduled, and starts the clock and the random numbers anew. */
export function begin(seed: number): void {
  pending.clear();
  immediates = [];
  nowMs = 0;
  lastNumber = 0;
  random = new Random(seed);
}

/** Milliseconds since the simulation began. */
export const simulatedMs = (): number => nowMs;

/** Runs work as a process: its timers end with it. */
export const runAs = <T>(owner: SimProcess, work: () => T): T => owners.run(owner, work);

/** Resolves when no promise can go on without a timer. */
const settled = (): Promise<void> => new Promise((resolve) => realImmediate(resolve));

/** Runs everything that is due within `ms`, in order, and moves the time on by `ms`. */
export async function run(ms: number): Promise<void> {
  const endMs = nowMs + ms;
  for (;;) {
    await settled();
    const due = immediates;
    if (due.length > 0) {
      immediates = [];
      for (const task of due) if (!task.isCleared) runTask(task);
      continue;
    }
    let next: Timer | undefined;
    for (const timer of pending) {
      if (next === undefined || timer.atMs < next.atMs || (timer.atMs === next.atMs && timer.number < next.number))
        next = timer;
    }
    if (next === undefined || next.atMs > endMs) break;
    nowMs = next.atMs;
    next.fire();
  }
  nowMs = endMs;
}
