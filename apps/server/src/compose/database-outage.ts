// Keeps the log short while the database cannot be reached: one line at the start, one a minute, one at the end.
// Without it each request and each job writes a line of its own.
import { type Database, toDatabaseError } from '@quarterdeck/core/db';
import type { Logger } from 'pino';

const PROBE_EVERY_MS = 500;
const REPORT_EVERY_MS = 60_000;

/** A log that says once that the database is away. */
export interface QuietLog {
  readonly log: Logger;
  /** Ends the watch for the return of a database that is away. */
  close(): void;
}

/** Wraps a log. `now` is in Unix milliseconds. */
export function quietDuringOutage(log: Logger, db: Pick<Database, 'ping'>, now: () => number): QuietLog {
  let sinceMs: number | undefined;
  let reportedMs = 0;
  let failures = 0;
  let probe: NodeJS.Timeout | undefined;

  const seconds = () => Math.floor((now() - (sinceMs ?? now())) / 1000);

  const check = async () => {
    try {
      await db.ping();
    } catch {
      if (now() - reportedMs >= REPORT_EVERY_MS) {
        reportedMs = now();
        log.error({ seconds: seconds(), failures }, 'the database still cannot be reached');
      }
      if (sinceMs !== undefined) wait();
      return;
    }
    if (sinceMs === undefined) return;
    log.info({ seconds: seconds(), failures }, 'the database answers again');
    sinceMs = undefined;
  };
  const wait = () => {
    probe = setTimeout(() => void check(), PROBE_EVERY_MS).unref();
  };

  /** True where the line is one of many about the same outage. */
  const covers = (first: unknown): boolean => {
    const error = (first as { readonly err?: unknown } | undefined)?.err;
    if (error === undefined || toDatabaseError(error)?.kind !== 'unavailable') return false;
    failures = sinceMs === undefined ? 1 : failures + 1;
    if (sinceMs !== undefined) return true;
    sinceMs = now();
    reportedMs = sinceMs;
    log.error({ err: error }, 'the database cannot be reached');
    wait();
    return true;
  };

  const quieter =
    (write: Logger['error']): Logger['error'] =>
    (...args: unknown[]) => {
      if (!covers(args[0])) (write as (...args: unknown[]) => void).apply(log, args);
    };
  return {
    log: Object.assign(Object.create(log) as Logger, { warn: quieter(log.warn), error: quieter(log.error) }),
    close() {
      clearTimeout(probe);
      sinceMs = undefined;
    },
  };
}
