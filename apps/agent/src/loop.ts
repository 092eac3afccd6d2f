// Schedules reports: one each interval, with back-off after failures, until the agent stops.
import type { Logger } from 'pino';
import { isIdentityRejected, isNodeIdTaken, isPermanentRefusal, reasonOf, retryAfterMs } from './process/failures.ts';
import { backoffDelayMs, type Random, rejectedDelayMs, reportDelayMs } from './process/timing.ts';
import type { Session } from './session.ts';

export interface LoopOptions {
  readonly session: Session;
  readonly log: Logger;
  /** Waits; returns early, without throwing, when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Waits like `sleep`, also while there are news to report. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called after each report that the server has accepted. */
  readonly onAccepted?: () => void;
  /** True where the agent stops only to start again at once: the server gets no notice. */
  readonly isRestarting?: () => boolean;
  /** Called after each report with the reason of its failure; undefined after a success. */
  readonly onReport?: ((failure: string | undefined) => void) | undefined;
  readonly random: Random;
  /** Stops the loop when aborted. */
  readonly signal: AbortSignal;
}

const MESSAGES = {
  away: 'the server does not answer; retrying until it does',
  refused: 'the server refuses the requests of this agent; retrying each interval',
  rejected: 'the server rejects the credential of this agent; retrying less and less often, at least every ten minutes',
  taken:
    'another agent with this node_id is online; retrying each interval until it is offline. ' +
    'If it runs on a copy of this host, give one of them another machine id',
} as const;

type FailureKind = keyof typeof MESSAGES;

function failureKindOf(error: unknown): FailureKind {
  if (isIdentityRejected(error)) return 'rejected';
  if (isNodeIdTaken(error)) return 'taken';
  return isPermanentRefusal(error) ? 'refused' : 'away';
}

/**
 * Reports until the signal is aborted, then reports the shutdown. No answer of a server ends the loop. The log has one
 * line when a failure begins and one when it ends.
 */
export async function runLoop(options: LoopOptions): Promise<void> {
  const { session, log, sleep, pause, onAccepted, onReport, isRestarting, random, signal } = options;
  let failure: FailureKind | undefined;
  let failures = 0;
  let rejections = 0;

  async function reportOnce(): Promise<number> {
    try {
      await session.report(signal);
      // The log already says that the agent is enrolled.
      if (failure !== undefined && failure !== 'taken') log.info({ failures }, 'the server answers again');
      failure = undefined;
      failures = 0;
      rejections = 0;
      onAccepted?.();
      return reportDelayMs(session.intervalS, random);
    } catch (error) {
      if (signal.aborted) return 0;
      const now = failureKindOf(error);
      failures += 1;
      if (now === 'rejected') rejections += 1;
      const level = now === 'away' || now === 'taken' ? 'warn' : 'error';
      // A server that is away in between does not make the rejection news.
      if (now !== failure && !(now === 'rejected' && rejections > 1)) log[level](reasonOf(error), MESSAGES[now]);
      failure = now;
      if (now === 'rejected') return rejectedDelayMs(rejections, session.intervalS, random);
      if (now === 'away') return backoffDelayMs(failures, session.intervalS, random, retryAfterMs(error));
      return reportDelayMs(session.intervalS, random);
    }
  }

  while (!signal.aborted) {
    const ms = await reportOnce();
    if (!signal.aborted) onReport?.(failure && MESSAGES[failure]);
    await (failure === 'rejected' ? pause : sleep)(ms, signal);
  }

  if (isRestarting?.()) return log.info('stopped; starts again');
  try {
    log.info((await session.shutdown()) ? 'stopped; reported it' : 'stopped');
  } catch (error) {
    log.info(reasonOf(error), 'stopped; could not report it');
  }
}
