// What a failed call means for an agent. Only codes and numbers of an answer are repeated: a log must not carry a secret
// that a strange server sends back.
import { type ErrorClass, errorClass, isRetryable } from '@quarterdeck/core';
import { isApiError, isClientError, isNetworkError, isTimeoutError, isUnexpectedAnswerError } from '@quarterdeck/sdk';

/** Why a call failed, for the log. */
export interface Reason {
  /** What was asked: the last word of the path. */
  readonly during?: string;
  /** A code of the server's error table, of the operating system, or a word of ours. */
  readonly code: string;
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** Fields of the report that were refused. */
  readonly fields?: readonly string[];
}

const word = (text: string): string => (/^[\w.-]{1,64}$/.test(text) ? text : 'unknown');

/** Why a call failed, without anything that might be secret. */
export function reasonOf(error: unknown): Reason {
  const during = isClientError(error) ? word(error.url.split('/').at(-1) ?? '') : undefined;
  return { ...(during === undefined ? {} : { during }), ...whyOf(error) };
}

function whyOf(error: unknown): Reason {
  if (isApiError(error)) {
    const fields = error.fields.slice(0, 10).map(({ path }) => word(path));
    return { status: error.status, code: word(error.code), ...(fields.length > 0 ? { fields } : {}) };
  }
  if (isUnexpectedAnswerError(error)) return { status: error.status, code: 'unexpected_answer' };
  if (isTimeoutError(error)) return { code: 'timeout' };
  if (isNetworkError(error)) return { code: word(error.code ?? 'no_answer') };
  return { code: error instanceof Error ? word(error.name) : 'unknown' };
}

const classOf = (error: unknown): ErrorClass | undefined =>
  isApiError(error) ? errorClass(error.status, error.code) : undefined;

/** Reports whether the server rejects this secret or does not know this agent. */
export function isForgotten(error: unknown): boolean {
  const kind = classOf(error);
  return kind === 'credential' || kind === 'missing';
}

/** Reports whether another agent with this node id is online. */
export const isOccupied = (error: unknown): boolean => isApiError(error) && error.code === 'conflict';

/** Reports whether the server cannot accept the reported facts. */
export function isUnacceptable(error: unknown): boolean {
  const kind = classOf(error);
  return kind === 'input' || kind === 'content';
}

/** Reports whether the server will never accept any line of this batch. */
export const isBatchRefused = (error: unknown): boolean => classOf(error) === 'content';

/** Reports whether the server refuses on purpose, so that trying again soon changes nothing. */
export const isRefusal = (error: unknown): boolean =>
  isApiError(error) && !isRetryable(error.status, error.code) && classOf(error) !== 'server';

/** How long the answer asked to wait, milliseconds. */
export function retryAfterMs(error: unknown): number {
  return isApiError(error) || isUnexpectedAnswerError(error) ? (error.retryAfterMs ?? 0) : 0;
}
