// When to report: every interval while all is well, with back-off while it is not, until somebody says stop.
import type { Logger } from 'pino';
import { isForgotten, isOccupied, isRefusal, reasonOf, retryAfterMs } from './failures.ts';
import type { Session } from './session.ts';
import { backoffDelayMs, type Random, reportDelayMs } from './timing.ts';

/** What {@link runLoop} needs. */
export interface LoopOptions {
  readonly session: Session;
  readonly log: Logger;
  /** Waits; ends early, without throwing, when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: Random;
  /** Aborted = stop. */
  readonly signal: AbortSignal;
}

const MESSAGES = {
  away: 'the server is away; trying again until it is back',
  refused: 'the server refuses what this agent asks; trying again each interval',
  forgotten: 'the server does not take the credential of this agent; trying again each interval',
  occupied:
    'another agent with this node_id is online; trying again each interval until it is offline. ' +
    'If it runs on a copy of this host, give one of the two another machine id',
} as const;

type FailureKind = keyof typeof MESSAGES;

function failureKindOf(error: unknown): FailureKind {
  if (isForgotten(error)) return 'forgotten';
  if (isOccupied(error)) return 'occupied';
  return isRefusal(error) ? 'refused' : 'away';
}

/**
 * Reports until the signal is aborted, then says goodbye. No answer of a server ends it; it says once that a trouble
 * began and once that it is over.
 */
export async function runLoop({ session, log, sleep, random, signal }: LoopOptions): Promise<void> {
  let failure: FailureKind | undefined;
  let failures = 0;

  async function reportOnce(): Promise<number> {
    try {
      await session.report(signal);
      // The log says already that it is enrolled.
      if (failure !== undefined && failure !== 'occupied') log.info({ failures }, 'the server is back');
      failure = undefined;
      failures = 0;
      return reportDelayMs(session.intervalS, random);
    } catch (error) {
      if (signal.aborted) return 0;
      const now = failureKindOf(error);
      failures += 1;
      const level = now === 'away' || now === 'occupied' ? 'warn' : 'error';
      if (now !== failure) log[level](reasonOf(error), MESSAGES[now]);
      failure = now;
      return now === 'away'
        ? backoffDelayMs(failures, session.intervalS, random, retryAfterMs(error))
        : reportDelayMs(session.intervalS, random);
    }
  }

  while (!signal.aborted) await sleep(await reportOnce(), signal);

  try {
    log.info((await session.shutdown()) ? 'stopped; said goodbye' : 'stopped');
  } catch (error) {
    log.info(reasonOf(error), 'stopped; could not say goodbye');
  }
}
