// Limits how often a secret may be guessed. Each attempt is counted in the database before it is checked, and taken
// back when it was right. Parallel guesses at several servers therefore cannot exceed the budget. An attempt that
// depends on the outcome of open attempts waits for it.
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@quarterdeck/core';
import type { Database, Tx } from '@quarterdeck/core/db';
import {
  closeAttempt,
  findThrottle,
  lockThrottle,
  resetAttempts,
  type ThrottleRow,
  takeBackAttempt,
  updateThrottle,
} from './throttle.repo.ts';

const MINUTE_MS = 60_000;

/** Budget of attempts. */
export interface Budget {
  /** Attempts without a wait. */
  readonly free: number;
  /** Wait after the last free attempt and after each later one; the last entry repeats. */
  readonly waitsMs: readonly number[];
  /** Time without an attempt after which the count restarts. */
  readonly quietMs: number;
}

/**
 * Budget of an account: five attempts, then one after 1, 2, 4, 8, 15, 15, ... minutes. The count restarts after a quiet
 * hour. After 15 minutes it would allow four attempts each 15 minutes, 16 an hour; the limit is 12.
 */
export const ACCOUNT: Budget = {
  free: 5,
  waitsMs: [1, 2, 4, 8, 15].map((minutes) => minutes * MINUTE_MS),
  quietMs: 60 * MINUTE_MS,
};
/** Budget of a network address for all accounts together: 20 in any 15 minutes. */
export const ADDRESS: Budget = { free: 20, waitsMs: [15 * MINUTE_MS], quietMs: 15 * MINUTE_MS };
/** Budget of the codes of one second factor: 5 in any 15 minutes. */
export const SECOND_FACTOR: Budget = { free: 5, waitsMs: [15 * MINUTE_MS], quietMs: 15 * MINUTE_MS };

/** Use of a budget. */
export interface Tally {
  readonly failures: number;
  /** Start of the count. */
  readonly sinceMs: number;
  /** Time of the next allowed attempt. */
  readonly blockedUntilMs: number;
}

function waitMs(budget: Budget, failures: number): number {
  const beyond = failures - budget.free;
  return beyond < 0 ? 0 : (budget.waitsMs[Math.min(beyond, budget.waitsMs.length - 1)] ?? 0);
}

/** Returns the tally after one more attempt. */
export function countAttempt(budget: Budget, tally: Tally, nowMs: number): Tally {
  const lastMs = tally.blockedUntilMs - waitMs(budget, tally.failures);
  const isFresh = tally.failures === 0 || nowMs - lastMs >= budget.quietMs;
  const failures = isFresh ? 1 : tally.failures + 1;
  return {
    failures,
    sinceMs: isFresh ? nowMs : tally.sinceMs,
    blockedUntilMs: nowMs + waitMs(budget, failures),
  };
}

/** Time for which an attempt may stay open. One that is open for longer was lost with its server, and counts. */
const OPEN_MAX_MS = 10_000;
/** Longest wait for the outcome of open attempts. */
const WAIT_MAX_MS = 5_000;
/** Pause between two tries while waiting. */
const WAIT_STEP_MS = 25;
/** Attempts that may wait at once in this process. */
const WAITING_MAX = 64;

/** Counter that an attempt is charged to. */
export interface Charge {
  readonly key: string;
  readonly budget: Budget;
  /** Effect of a right attempt: it resets the count, or takes only itself back. */
  readonly onSuccess: 'reset' | 'give_back';
}

/** Attempt that is counted and may now be checked. */
export type Attempt = readonly Charge[];

/** Counts attempts. */
export interface Throttle {
  /**
   * Counts an attempt for all charges, or for none. It stays open until one of the other methods settles it.
   *
   * @throws AppError `too_many_requests`, with the seconds to wait
   */
  reserve(charges: readonly Charge[]): Promise<Attempt>;
  /** Settles a wrong attempt. */
  fail(tx: Tx, attempt: Attempt): Promise<void>;
  /** Settles an attempt that was not checked, or was right so far: it does not count. */
  giveBack(tx: Tx, attempt: Attempt): Promise<void>;
  /** Settles a right attempt. */
  succeed(tx: Tx, attempt: Attempt): Promise<void>;
}

/** The budget of a key is used up for now. `mayChange`: the outcome of open attempts may free some of it. */
class Blocked extends AppError {
  readonly mayChange: boolean;

  constructor(leftMs: number, mayChange: boolean) {
    const retryAfterS = Math.ceil(leftMs / 1000);
    const left = retryAfterS > 90 ? `${Math.ceil(retryAfterS / 60)} minutes` : `${retryAfterS} s`;
    super('too_many_requests', { message: `Too many failed attempts; try again in ${left}.`, retryAfterS });
    this.mayChange = mayChange;
  }
}

/** Creates a {@link Throttle}. `now` is in Unix milliseconds; `waitMaxMs` bounds the wait for open attempts. */
export function createThrottle(db: Database, now: () => number, waitMaxMs = WAIT_MAX_MS): Throttle {
  let waiting = 0;

  const isOpen = (row: ThrottleRow) => row.openAttempts > 0 && row.openUntilMs > now();

  const refuseBlocked = (row: ThrottleRow | null) => {
    if (row === null) return;
    const leftMs = Number(row.blockedUntilMs) - now();
    if (leftMs > 0) throw new Blocked(leftMs, isOpen(row));
  };

  async function reserveNow(charges: readonly Charge[]): Promise<void> {
    // A blocked attempt costs a read and no write.
    for (const { key } of charges) refuseBlocked(await findThrottle(db.read, key));
    await db.write(async (tx) => {
      for (const { key, budget } of charges) {
        const nowMs = now();
        const row = await lockThrottle(tx, key, nowMs);
        refuseBlocked(row);
        const tally = {
          failures: row.failures,
          sinceMs: Number(row.sinceMs),
          blockedUntilMs: Number(row.blockedUntilMs),
        };
        const openAttempts = (isOpen(row) ? row.openAttempts : 0) + 1;
        const counted = countAttempt(budget, tally, nowMs);
        await updateThrottle(tx, key, { ...counted, openAttempts, openUntilMs: nowMs + OPEN_MAX_MS });
      }
    });
  }

  /** Counts an attempt as soon as the outcome of open attempts allows it. */
  async function reserveInTime(charges: readonly Charge[]): Promise<void> {
    const giveUpMs = performance.now() + waitMaxMs;
    for (;;) {
      try {
        return await reserveNow(charges);
      } catch (error) {
        if (!(error instanceof Blocked) || !error.mayChange) throw error;
        if (performance.now() >= giveUpMs || waiting >= WAITING_MAX) throw error;
      }
      waiting += 1;
      await delay(WAIT_STEP_MS).finally(() => {
        waiting -= 1;
      });
    }
  }

  return {
    async reserve(charges) {
      // One order for all attempts, so that two of them never deadlock.
      const sorted = charges.toSorted((a, b) => (a.key < b.key ? -1 : 1));
      await reserveInTime(sorted);
      return sorted;
    },

    async fail(tx, attempt) {
      for (const { key } of attempt) await closeAttempt(tx, key);
    },

    async giveBack(tx, attempt) {
      for (const { key } of attempt) await takeBackAttempt(tx, key, now());
    },

    async succeed(tx, attempt) {
      for (const { key, onSuccess } of attempt) {
        const settle = onSuccess === 'give_back' ? takeBackAttempt : resetAttempts;
        await settle(tx, key, now());
      }
    },
  };
}
