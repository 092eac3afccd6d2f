// Runs the watchers, one at a time: each at its interval, bounded in time and in processor time.
import type { Logger } from 'pino';
import type { Look, Observed, Watcher } from '../observe/watcher.ts';
import type { Random } from '../process/timing.ts';

/** Share of a core that all watchers together may use. */
const CPU_SHARE = 0.005;
/** Processor time that is free at the start and after a pause, milliseconds. */
const CPU_BURST_MS = 2_000;
/** A watcher that takes longer is given up. */
const LOOK_MAX_MS = 30_000;
/** Spreads the looks of a fleet: up to this share of the interval is added or removed. */
const JITTER = 0.1;
/** Time from one look that was asked for to the next. */
const SOON_EVERY_MS = 10_000;
/** The first looks follow each other within this time. */
const START_WITHIN_MS = 5_000;

/** Storage of looks. */
export interface LookStore {
  observed(name: string): Observed | undefined;
  /** Stores a look that began so many milliseconds ago. */
  keep(name: string, look: Look, tookMs: number): Promise<void>;
}

/** Asks for a look of all watchers before their time. */
export class LookRequest {
  #asked = new AbortController();

  ask(): void {
    this.#asked.abort();
  }

  /** Aborted when a look is asked for. */
  get signal(): AbortSignal {
    return this.#asked.signal;
  }

  /** Returns whether a look is asked for, and forgets it. */
  take(): boolean {
    const { aborted } = this.#asked.signal;
    if (aborted) this.#asked = new AbortController();
    return aborted;
  }
}

export interface WatchLoopOptions {
  readonly watchers: readonly Watcher[];
  readonly store: LookStore;
  readonly log: Logger;
  /** Monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
  /** Processor time that this process has used, milliseconds. */
  readonly cpuMs: () => number;
  /** Processor time of the commands that have ended, milliseconds. */
  readonly commandsCpuMs: () => number;
  readonly random: Random;
  /** Waits; returns early, without throwing, when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  /** Brings all looks forward; the bounds of processor time hold. */
  readonly lookSoon: LookRequest;
  /** Replaces {@link LOOK_MAX_MS}. */
  readonly lookMaxMs?: number;
}

/** A watcher with its plan. */
interface Planned {
  readonly watcher: Watcher;
  dueMs: number;
  /** True from the first failure to the next success. */
  hasFailed: boolean;
  /** A look that was given up and has not ended. */
  isStuck: boolean;
}

/** Runs watchers until the signal is aborted. A failure of one is logged once and keeps no other from its looks. */
export async function runWatchers(options: WatchLoopOptions): Promise<void> {
  const { watchers, store, log, monotonicMs, random, sleep, signal, lookSoon, lookMaxMs = LOOK_MAX_MS } = options;
  const startMs = monotonicMs();
  const planned = watchers.map(
    (watcher): Planned => ({
      watcher,
      dueMs: startMs + random() * START_WITHIN_MS,
      hasFailed: false,
      isStuck: false,
    }),
  );
  let soonFromMs = startMs;
  let credit = { ms: CPU_BURST_MS, atMs: startMs };

  /** Time at which the processor time of the last looks is made up for. */
  const affordableMs = () => credit.atMs + Math.max(0, -credit.ms) / CPU_SHARE;

  function pay(usedMs: number): void {
    const atMs = monotonicMs();
    credit = { ms: Math.min(CPU_BURST_MS, credit.ms + (atMs - credit.atMs) * CPU_SHARE) - usedMs, atMs };
  }

  /** Begins to count processor time; the result returns what was used since, with the commands of a look. */
  function countCpu(): () => number {
    const { cpuMs, commandsCpuMs } = options;
    const [atMs, ownMs, commandsMs] = [monotonicMs(), cpuMs(), commandsCpuMs()];
    // A command of another part, such as the upgrade, may end meanwhile with hours of processor time. Those of a look
    // run one at a time, so they use no more than the time that passes.
    return () => cpuMs() - ownMs + Math.min(commandsCpuMs() - commandsMs, monotonicMs() - atMs);
  }

  /** Looks once. A look that takes too long is given up; the watcher then rests until that look has ended. */
  async function look(plan: Planned): Promise<Look> {
    const { watcher } = plan;
    const bound = AbortSignal.any([signal, AbortSignal.timeout(lookMaxMs)]);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    bound.addEventListener('abort', () => reject(bound.reason), { once: true });
    plan.isStuck = true;
    const found = watcher.look(store.observed(watcher.name), bound).finally(() => {
      plan.isStuck = false;
    });
    return await Promise.race([found, aborted]);
  }

  async function lookOnce(plan: Planned): Promise<void> {
    const { name } = plan.watcher;
    try {
      const beganMs = monotonicMs();
      const found = await look(plan);
      await store.keep(name, found, monotonicMs() - beganMs);
      if (plan.hasFailed) log.info({ watcher: name }, 'the watcher works again');
      plan.hasFailed = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!plan.hasFailed) log.warn({ watcher: name, reason: String(error) }, 'the watcher fails; trying on');
      plan.hasFailed = true;
    }
  }

  function bringForward(): void {
    const nowMs = monotonicMs();
    if (nowMs < soonFromMs) return;
    soonFromMs = nowMs + SOON_EVERY_MS;
    for (const plan of planned) plan.dueMs = Math.min(plan.dueMs, nowMs);
  }

  while (!signal.aborted && planned.length > 0) {
    const next = planned.reduce((a, b) => (b.dueMs < a.dueMs ? b : a));
    const waitMs = Math.max(next.dueMs, affordableMs()) - monotonicMs();
    if (waitMs > 0) {
      await sleep(waitMs, AbortSignal.any([signal, lookSoon.signal]));
      if (lookSoon.take()) bringForward();
      continue;
    }
    const usedMs = countCpu();
    if (!next.isStuck) await lookOnce(next);
    pay(usedMs());
    next.dueMs = monotonicMs() + next.watcher.everyS * 1000 * (1 - JITTER + 2 * JITTER * random());
  }
}
