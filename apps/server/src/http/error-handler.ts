// Answers every thrown error with the failure envelope. Nothing else answers a failure.
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
  // Rolled back, and may succeed under less load.
  timeout: 'database_busy',
  full: 'storage_full',
  unavailable: 'database_unavailable',
  closed: 'database_unavailable',
};

/** Codes for the errors of Express and raw-body, which have an HTTP status. */
const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_request',
  408: 'request_timeout',
  413: 'too_large',
  415: 'unsupported_media_type',
};

/** Converts a thrown value to a refusal. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const database = toDatabaseError(error);
  if (database !== undefined) return new AppError(BY_DATABASE[database.kind] ?? 'internal', { cause: error });
  const status = error instanceof Error ? (error as { status?: unknown }).status : undefined;
  const code = typeof status === 'number' ? BY_STATUS[status] : undefined;
  return new AppError(code ?? 'internal', { cause: error });
}

/** Sends a refusal. */
export function sendFailure(req: Incoming, res: ServerResponse, error: AppError, now: () => number): void {
  if (error.retryAfterS !== undefined) res.setHeader('Retry-After', error.retryAfterS);
  // Drops the rest of an unread body. Closing the connection instead would break it under a client that still sends:
  // the client would never see the reason.
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

/** Answers a thrown value; logs it if the server is at fault. */
export type Refuse = (thrown: unknown, req: Incoming, res: ServerResponse) => void;

/** Creates {@link Refuse}. */
export function createRefuse(log: Logger, now: () => number): Refuse {
  let last = {};
  const refused = new RateLimitedReport((count, total) => log.warn({ ...last, count, total }, 'requests refused'));
  return (thrown, req, res) => {
    const error = toAppError(thrown);
    if (error.status === 503 && error.cause === undefined) {
      // A deliberate refusal: under a flood it happens thousands of times a second.
      last = { code: error.code, request_id: req.id };
      refused.count();
    } else if (error.status >= 500) {
      log.error({ err: error.cause ?? error, code: error.code, request_id: req.id }, 'request failed');
    }
    // An answer that has begun (an event stream) can only be ended.
    if (res.headersSent) res.destroy();
    else sendFailure(req, res, error, now);
  };
}
