// Errors of the database as refusals, and the log of what the server refuses through its own fault.
import { AppError, type ErrorCode } from '@quarterdeck/core';
import { type DatabaseError, toDatabaseError } from '@quarterdeck/core/db';
import { createRefuse, isFault, type Refuse } from '@quarterdeck/express/parts';
import { RateLimitedReport } from '@quarterdeck/intake';
import type { Logger } from 'pino';
import { dropEndedCookie } from './browser-session.ts';
import { isCompat } from './compat.ts';

const BY_DATABASE: Partial<Record<DatabaseError['kind'], ErrorCode>> = {
  busy: 'database_busy',
  // Rolled back, and may succeed under less load.
  timeout: 'database_busy',
  full: 'storage_full',
  unavailable: 'database_unavailable',
  closed: 'database_unavailable',
};

/** Converts an error of the database to a refusal; undefined for any other. */
export function fromDatabase(error: unknown): AppError | undefined {
  const database = toDatabaseError(error);
  return database && new AppError(BY_DATABASE[database.kind] ?? 'internal', { cause: error });
}

/** Creates what answers a thrown value, and logs it if the server is at fault. */
export function refuseAndLog(log: Logger, now: () => number): Refuse {
  let last = {};
  const refused = new RateLimitedReport((count, total) => log.warn({ ...last, count, total }, 'requests refused'));
  const refuse = createRefuse({
    now,
    convert: fromDatabase,
    statusOf: (error, req) => (isCompat(req) ? 200 : error.status),
    onFailure(error, { id }) {
      if (error.status === 503 && error.cause === undefined) {
        // A deliberate refusal: under a flood it happens thousands of times a second.
        last = { code: error.code, request_id: id };
        refused.count();
      } else if (isFault(error)) {
        log.error({ err: error.cause ?? error, code: error.code, request_id: id }, 'request failed');
      }
    },
  });
  return (thrown, req, res) => {
    dropEndedCookie(thrown, req, res);
    refuse(thrown, req, res);
  };
}
