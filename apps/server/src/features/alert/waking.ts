// Rounds of alerts as soon as something happens: a commit wakes them. The periodic round finds what none announces.
import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import type { AlertRounds } from './round.ts';

/** Time in which commits are gathered: requests that come together become one message. */
const GATHER_MS = 60;
/** A woken round comes after so many times the duration of the round before: alerts leave time for other work ... */
const PAUSE_FACTOR = 2;
/** ... but after this time at most: a message is sent within a second. */
const PAUSE_MAX_MS = 300;

/** Parts of a server that waking works with. */
interface WakingNeeds {
  readonly db: Pick<Database, 'onSignal'>;
  readonly log: Logger;
  /** Milliseconds of a clock that only moves forward. */
  readonly monotonic: () => number;
}

/** Runs rounds after commits, of this server and of others, until the returned function is called. */
export function wakeRounds(
  { db, log, monotonic }: WakingNeeds,
  rounds: Pick<AlertRounds, 'run' | 'stats'>,
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isAsked = false;
  let stopped = false;
  let endedMs = Number.NEGATIVE_INFINITY;

  async function run(): Promise<void> {
    try {
      await rounds.run(() => stopped);
    } catch (error) {
      // The periodic round tries again.
      log.warn({ err: error }, 'a round of alerts failed');
    }
    endedMs = monotonic();
    running = undefined;
    if (isAsked) wake();
  }

  function wake(): void {
    if (stopped || timer !== undefined) return;
    isAsked = running !== undefined;
    if (isAsked) return;
    const pauseMs = Math.min(PAUSE_MAX_MS, rounds.stats().lastRoundMs * PAUSE_FACTOR);
    timer = setTimeout(
      () => {
        timer = undefined;
        running = run();
      },
      Math.max(GATHER_MS, endedMs + pauseMs - monotonic()),
    );
  }

  const stopListening = db.onSignal(wake);
  return async () => {
    stopped = true;
    stopListening();
    clearTimeout(timer);
    await running;
  };
}
