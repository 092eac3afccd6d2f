// Any throw -> the failure envelope. The only place that answers a failure.
import type { ServerResponse } from 'node:http';
import { AppError, type ErrorCode, failure } from '@quarterdeck/core';
import { type DatabaseError, toDatabaseError } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import { RateLimitedReport } from '../ingest/rate-limited-report.ts';
import { isCompat } from './compat.ts';
import { sendJson } from './send.ts';
import type { Incoming } from './steps.ts';

const BY_DATABASE: Partial<Record<DatabaseError['kind'], ErrorCode>> = {
  busy: 'database_busy',
  // Rolled back: nothing happened, and it may fit in when there is less to do.
  timeout: 'database_busy',
  full: 'storage_full',
  unavailable: 'database_unavailable',
  closed: 'database_unavailable',
};

/** What Express and raw-body throw: an Error with the HTTP status it stands for. */
const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_request',
  408: 'request_timeout',
  413: 'too_large',
  415: 'unsupported_media_type',
};

/** The refusal that a thrown value stands for. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const database = toDatabaseError(error);
  if (database !== undefined) return new AppError(BY_DATABASE[database.kind] ?? 'internal', { cause: error });
  const status = error instanceof Error ? (error as { status?: unknown }).status : undefined;
  const code = typeof status === 'number' ? BY_STATUS[status] : undefined;
  return new AppError(code ?? 'internal', { cause: error });
}

/** Answers with a refusal. */
export function sendFailure(req: Incoming, res: ServerResponse, error: AppError, now: () => number): void {
  if (error.retryAfterS !== undefined) res.setHeader('Retry-After', error.retryAfterS);
  // What is still arriving of an unread body is thrown away. Closing instead would break the connection under a client
  // that is sending and does not listen yet: it would never learn why.
  req.resume();
  const problem = req.headers.accept?.includes('application/problem+json') === true;
  const body = failure(error, req.id, now());
  sendJson(
    req,
    res,
    isCompat(req) ? 200 : error.status,
    body,
    problem ? 'application/problem+json' : 'application/json',
  );
}

/** Answers whatever was thrown, and logs what is our fault. */
export type Refuse = (thrown: unknown, req: Incoming, res: ServerResponse) => void;

/** Makes {@link Refuse}. */
export function createRefuse(log: Logger, now: () => number): Refuse {
  let last = {};
  const turnedAway = new RateLimitedReport((count, total) =>
    log.warn({ ...last, count, total }, 'requests turned away'),
  );
  return (thrown, req, res) => {
    const error = toAppError(thrown);
    if (error.status === 503 && error.cause === undefined) {
      // We chose to: under a flood this happens thousands of times a second.
      last = { code: error.code, request_id: req.id };
      turnedAway.count();
    } else if (error.status >= 500) {
      log.error({ err: error.cause ?? error, code: error.code, request_id: req.id }, 'request failed');
    }
    // The answer has begun (an event stream): all that is left is to end it.
    if (res.headersSent) res.destroy();
    else sendFailure(req, res, error, now);
  };
}
