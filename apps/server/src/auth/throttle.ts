// How often a secret may be guessed. Every attempt is counted, in the database, before it is looked at, and given back
// when it was right: guesses sent at the same time, to whichever server, cannot be more than the budget allows. Where
// only attempts that are still being looked at are in the way, one waits for their outcome instead of being refused.
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@quarterdeck/core';
import { type Database, statement, type Tx } from '@quarterdeck/core/db';

const MINUTE_MS = 60_000;

/** A budget of attempts. */
export interface Budget {
  /** Attempts that need not wait. */
  readonly free: number;
  /** After the last free attempt and each one beyond it: how long until the next one. The last one stays. */
  readonly waitsMs: readonly number[];
  /** Counting starts anew when there was no attempt for so long. */
  readonly quietMs: number;
}

/**
 * An account. Five attempts, then one after 1, 2, 4, 8, 15, 15, ... minutes. They are forgotten after a quiet hour, not
 * after 15 minutes: four every 15 minutes would be 16 an hour, and the promise is 12.
 */
export const ACCOUNT: Budget = {
  free: 5,
  waitsMs: [1, 2, 4, 8, 15].map((minutes) => minutes * MINUTE_MS),
  quietMs: 60 * MINUTE_MS,
};
/** A network address, whatever accounts it tries: 20 in any 15 minutes. */
export const ADDRESS: Budget = { free: 20, waitsMs: [15 * MINUTE_MS], quietMs: 15 * MINUTE_MS };
/** The codes of one second factor: 5 in any 15 minutes. */
export const SECOND_FACTOR: Budget = { free: 5, waitsMs: [15 * MINUTE_MS], quietMs: 15 * MINUTE_MS };

/** How far a budget is used up. */
export interface Tally {
  readonly failures: number;
  /** When counting began. */
  readonly sinceMs: number;
  /** When the next attempt is allowed. */
  readonly blockedUntilMs: number;
}

function waitMs(budget: Budget, failures: number): number {
  const beyond = failures - budget.free;
  return beyond < 0 ? 0 : (budget.waitsMs[Math.min(beyond, budget.waitsMs.length - 1)] ?? 0);
}

/** The tally after one more attempt. Pure. */
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

/** So long an attempt may be looked at. One that is open for longer was lost with its server, and counts. */
const OPEN_MAX_MS = 10_000;
/** So long one waits at most for the outcome of others, */
const WAIT_MAX_MS = 5_000;
/** looking so often, */
const WAIT_STEP_MS = 25;
/** and no more than so many at once in this process. */
const WAITING_MAX = 64;

/** Something an attempt is counted for. */
export interface Charge {
  readonly key: string;
  readonly budget: Budget;
  /** What a right guess does to the count: forgets it, or only takes itself back. */
  readonly onSuccess: 'forget' | 'give_back';
}

/** An attempt that has been counted and may now be made. */
export type Attempt = readonly Charge[];

/** Counts attempts. */
export interface Throttle {
  /**
   * Counts an attempt for each charge, or for none. It is open until one of the other methods says what came of it.
   *
   * @throws AppError `too_many_requests`, with the seconds to wait
   */
  reserve(charges: readonly Charge[]): Promise<Attempt>;
  /** The attempt was wrong. */
  fail(tx: Tx, attempt: Attempt): Promise<void>;
  /** The attempt was never looked at, or was right so far: it does not count. */
  giveBack(tx: Tx, attempt: Attempt): Promise<void>;
  /** The attempt was right. */
  succeed(tx: Tx, attempt: Attempt): Promise<void>;
}

interface Row {
  readonly failures: number;
  readonly since_ms: number;
  readonly blocked_until_ms: number;
  readonly open_attempts: number;
  readonly open_until_ms: number;
}

const COLUMNS = 'failures, since_ms, blocked_until_ms, open_attempts, open_until_ms';
const READ = statement(`SELECT ${COLUMNS} FROM throttle WHERE key = ?`);
// The update changes nothing: it makes another attempt for the same key wait until this one is counted.
const OPEN = statement(
  `INSERT INTO throttle (key, failures, since_ms, blocked_until_ms) VALUES (?, 0, ?, 0)
   ON CONFLICT (key) DO UPDATE SET failures = throttle.failures RETURNING ${COLUMNS}`,
);
const STORE = statement(
  `UPDATE throttle SET failures = ?, since_ms = ?, blocked_until_ms = ?, open_attempts = ?, open_until_ms = ?
   WHERE key = ?`,
);
const CLOSED = 'open_attempts = CASE WHEN open_attempts > 0 THEN open_attempts - 1 ELSE 0 END';
const FAIL = statement(`UPDATE throttle SET ${CLOSED} WHERE key = ?`);
const GIVE_BACK = statement(
  `UPDATE throttle SET failures = failures - 1, blocked_until_ms = ?, ${CLOSED} WHERE key = ? AND failures > 0`,
);
const FORGET = statement('DELETE FROM throttle WHERE key = ?');
// What others are still trying must not be forgotten with the rest.
const FORGET_ALL = statement('DELETE FROM throttle WHERE key = ? AND open_attempts <= 1');
const FORGET_CLOSED = statement(
  `UPDATE throttle SET failures = open_attempts - 1, blocked_until_ms = ?, ${CLOSED} WHERE key = ?`,
);
const FORGET_PREFIX = statement('DELETE FROM throttle WHERE substr(key, 1, CAST(? AS integer)) = ?');
const FORGET_OLD = statement(
  `DELETE FROM throttle WHERE key IN
     (SELECT key FROM throttle WHERE since_ms <= ? AND blocked_until_ms <= ? LIMIT ?)`,
);

/** The budget of a key is used up for now. `mayChange`: attempts are open whose outcome could make room. */
class Blocked extends AppError {
  readonly mayChange: boolean;

  constructor(leftMs: number, mayChange: boolean) {
    const retryAfterS = Math.ceil(leftMs / 1000);
    const left = retryAfterS > 90 ? `${Math.ceil(retryAfterS / 60)} minutes` : `${retryAfterS} s`;
    super('too_many_requests', { message: `Too many failed attempts; try again in ${left}.`, retryAfterS });
    this.mayChange = mayChange;
  }
}

/** Makes a {@link Throttle}. `now` is in Unix milliseconds; `waitMaxMs` is how long one waits for the outcome of others. */
export function createThrottle(db: Database, now: () => number, waitMaxMs = WAIT_MAX_MS): Throttle {
  let waiting = 0;

  const isOpen = (row: Row) => row.open_attempts > 0 && row.open_until_ms > now();

  const refuseBlocked = (row: Row | undefined) => {
    if (row === undefined) return;
    const leftMs = row.blocked_until_ms - now();
    if (leftMs > 0) throw new Blocked(leftMs, isOpen(row));
  };

  async function reserveNow(charges: readonly Charge[]): Promise<void> {
    // Whoever is blocked costs a read and no turn at the writer.
    for (const { key } of charges) refuseBlocked(await db.read.sql.get<Row>(READ, key));
    await db.write(async (tx) => {
      for (const { key, budget } of charges) {
        const nowMs = now();
        const row = await tx.sql.get<Row>(OPEN, key, nowMs);
        if (row === undefined) throw new Error('a row that was just stored is not there');
        refuseBlocked(row);
        const { failures, since_ms: sinceMs, blocked_until_ms: blockedUntilMs } = row;
        const next = countAttempt(budget, { failures, sinceMs, blockedUntilMs }, nowMs);
        const open = (isOpen(row) ? row.open_attempts : 0) + 1;
        const { failures: count, sinceMs: since, blockedUntilMs: until } = next;
        await tx.sql.run(STORE, count, since, until, open, nowMs + OPEN_MAX_MS, key);
      }
    });
  }

  /** Counts an attempt as soon as the outcome of those before it allows; or not at all. */
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
      // Always in the same order, so that two attempts never wait for each other.
      const sorted = charges.toSorted((a, b) => (a.key < b.key ? -1 : 1));
      await reserveInTime(sorted);
      return sorted;
    },

    async fail(tx, attempt) {
      for (const { key } of attempt) await tx.sql.run(FAIL, key);
    },

    async giveBack(tx, attempt) {
      for (const { key } of attempt) await tx.sql.run(GIVE_BACK, now(), key);
    },

    async succeed(tx, attempt) {
      for (const { key, onSuccess } of attempt) {
        if (onSuccess === 'give_back') await tx.sql.run(GIVE_BACK, now(), key);
        else if ((await tx.sql.run(FORGET_ALL, key)).changes === 0) await tx.sql.run(FORGET_CLOSED, now(), key);
      }
    },
  };
}

/** Forgets the attempts of some keys, and of all keys that begin with one of the prefixes. */
export async function removeAttempts(tx: Tx, keys: readonly string[], prefixes: readonly string[]): Promise<void> {
  for (const key of keys) await tx.sql.run(FORGET, key);
  for (const prefix of prefixes) await tx.sql.run(FORGET_PREFIX, prefix.length, prefix);
}

/**
 * Deletes up to `limit` counts that began before a time and block nobody since; returns how many. One that goes on
 * stays, however long ago it began.
 */
export const removeOldFailures = async (tx: Tx, beforeMs: number, limit: number): Promise<number> =>
  (await tx.sql.run(FORGET_OLD, beforeMs, beforeMs, limit)).changes;
