// Answers every thrown error with the failure envelope. Nothing else answers a failure.
import type { ServerResponse } from 'node:http';
import { AppError, CHALLENGE, type ErrorCode, errorClass, failure, problem } from '@quarterdeck/core';
import { sendJson } from './send.ts';
import type { Incoming } from './steps.ts';

/** Codes for errors with an HTTP status: of Express, and of readers of bodies in an app that mounts a contract. */
const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_request',
  408: 'request_timeout',
  413: 'too_large',
  415: 'unsupported_media_type',
};

const PROBLEM_TYPE = 'application/problem+json';

/** Converts an error of a service's own kind; undefined for any other. */
export type ConvertError = (error: unknown) => AppError | undefined;

/** Converts a thrown value to a refusal. */
export function toAppError(error: unknown, convert?: ConvertError): AppError {
  if (error instanceof AppError) return error;
  const converted = convert?.(error);
  if (converted !== undefined) return converted;
  const status = error instanceof Error ? (error as { status?: unknown }).status : undefined;
  const code = typeof status === 'number' ? BY_STATUS[status] : undefined;
  return new AppError(code ?? 'internal', { cause: error });
}

/** Tells whether a refusal is a fault of the server. A request for what nobody implements (501) is none. */
export const isFault = ({ status, code }: AppError): boolean => status >= 500 && errorClass(status, code) === 'server';

/** Options of {@link createRefuse}. */
export interface RefuseOptions {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Called with every refusal, before it is sent. Log those that are a fault of the server: see {@link isFault}. */
  readonly onFailure: (error: AppError, req: Incoming) => void;
  readonly convert?: ConvertError | undefined;
  /** HTTP status of the answer, where it differs from that of the error. */
  readonly statusOf?: ((error: AppError, req: Incoming) => number) | undefined;
}

/** Answers a thrown value. */
export type Refuse = (thrown: unknown, req: Incoming, res: ServerResponse) => void;

/** Creates {@link Refuse}. */
export function createRefuse({ now, onFailure, convert, statusOf }: RefuseOptions): Refuse {
  return (thrown, req, res) => {
    const error = toAppError(thrown, convert);
    onFailure(error, req);
    // An answer that has begun (an event stream) can only be ended.
    if (res.headersSent) res.destroy();
    else sendFailure(req, res, error, statusOf?.(error, req) ?? error.status, now());
  };
}

function sendFailure(req: Incoming, res: ServerResponse, error: AppError, status: number, nowMs: number): void {
  // It was set for an answer that failed later.
  res.removeHeader('ETag');
  if (error.retryAfterS !== undefined) res.setHeader('Retry-After', error.retryAfterS);
  if (status === 401) res.setHeader('WWW-Authenticate', CHALLENGE);
  // Drops the rest of an unread body. Closing the connection instead would break it under a client that still sends:
  // the client would never see the reason.
  req.resume();
  if (req.headers.accept?.includes(PROBLEM_TYPE)) {
    sendJson(req, res, status, problem(error, req.id, nowMs), { type: PROBLEM_TYPE });
  } else {
    sendJson(req, res, status, failure(error, req.id, nowMs));
  }
}
