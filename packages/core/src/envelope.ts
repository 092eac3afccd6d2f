// The envelope, the form of every JSON answer: wire contract section 1.
import { z } from 'zod';
import { unixSeconds } from './domain/times.ts';
import { type AppError, ERRORS, type ErrorCode } from './errors.ts';

const CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

/** `err` of a failure. `code` is text, not an enum, so that an older client can read a newer server. */
export const ErrorBody = z.object({
  code: z.string().meta({ description: `One of: ${CODES.join(', ')}` }),
  detail: z.string().optional(),
  fields: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  request_id: z.string(),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

/** A failure: `status` is the HTTP status, so the body also reads as an RFC 9457 problem document. */
export const Failure = z.object({
  status: z.int().positive(),
  msg: z.string(),
  time: z.int().meta({ description: 'Unix seconds' }),
  err: ErrorBody,
});
export type Failure = z.infer<typeof Failure>;

/** A success with data. */
export interface Success<Data> {
  readonly status: 0;
  readonly msg?: string;
  /** Unix seconds. */
  readonly time: number;
  readonly data: Data;
}

/** Complete body of a success without data (specification 4.4: token update and delete). */
export const DONE = { status: 0 } as const;

/** Wraps data for the wire. */
export function success<Data>(data: Data, nowMs: number, msg?: string): Success<Data> {
  const time = unixSeconds(nowMs);
  return msg === undefined ? { status: 0, time, data } : { status: 0, msg, data, time };
}

/** Builds the body of a refusal. */
export function failure(error: AppError, requestId: string, nowMs: number): Failure {
  return {
    status: error.status,
    msg: error.message,
    time: unixSeconds(nowMs),
    err: {
      code: error.code,
      ...(error.detail === undefined ? {} : { detail: error.detail }),
      ...(error.fields === undefined ? {} : { fields: error.fields.map((field) => ({ ...field })) }),
      request_id: requestId,
    },
  };
}
