// The envelope, the form of every JSON answer: wire contract section 1.
import * as z from 'zod';
import { type AppError, ERRORS, type ErrorCode, wireCode } from './errors.ts';
import { unixSeconds } from './times.ts';

const CODES = [...new Set((Object.keys(ERRORS) as ErrorCode[]).map(wireCode))];

/** `err` of a failure. `code` is text, not an enum, so that an older client can read a newer server. */
export const ErrorBody = z.object({
  code: z.string().meta({ description: `One of: ${CODES.join(', ')}` }),
  detail: z.string().optional(),
  fields: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  current: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'With precondition_failed: the addressed object as it is now, with all details' }),
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

/** A failure for who asks for `application/problem+json`: the envelope with the members of RFC 9457. */
export const Problem = Failure.extend({
  type: z.string().meta({ description: 'urn:quarterdeck:error: and the code' }),
  title: z.string().meta({ description: 'The kind of the failure, the same each time' }),
  detail: z.string().meta({ description: 'This failure' }),
  instance: z.string().meta({ description: 'urn:quarterdeck:request: and the request id' }),
});
export type Problem = z.infer<typeof Problem>;

/** Envelope of a success; `data` is what the endpoint answers. */
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
      code: wireCode(error.code),
      ...(error.detail === undefined ? {} : { detail: error.detail }),
      ...(error.fields === undefined ? {} : { fields: error.fields.map((field) => ({ ...field })) }),
      ...(error.current === undefined ? {} : { current: error.current as Record<string, unknown> }),
      request_id: requestId,
    },
  };
}

/** Builds the body of a refusal as a problem document. */
export const problem = (error: AppError, requestId: string, nowMs: number): Problem => ({
  type: `urn:quarterdeck:error:${wireCode(error.code)}`,
  title: ERRORS[error.code].message,
  detail: error.detail === undefined ? error.message : `${error.message} ${error.detail}`,
  instance: `urn:quarterdeck:request:${requestId}`,
  ...failure(error, requestId, nowMs),
});
