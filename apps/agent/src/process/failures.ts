// Classifies failed calls for the agent. Only codes and numbers of an answer are repeated, because a strange server may
// send a secret back and the log must not carry it.
import { type ErrorClass, errorClass, isRetryable } from '@quarterdeck/core';
import { isApiError, isClientError, isNetworkError, isTimeoutError, isUnexpectedAnswerError } from '@quarterdeck/sdk';

/** Reason of a failed call, for the log. */
export interface Reason {
  /** Last word of the requested path. */
  readonly during?: string;
  /** A code of the server's error table or of the operating system, else `timeout`, `no_answer` or similar. */
  readonly code: string;
  /** HTTP status of the answer, if any. */
  readonly status?: number;
  /** Refused fields of the report. */
  readonly fields?: readonly string[];
}

const word = (text: string): string => (/^[\w.-]{1,64}$/.test(text) ? text : 'unknown');

/** Describes a failed call without any text that may be secret. */
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
export function isIdentityRejected(error: unknown): boolean {
  const kind = classOf(error);
  return kind === 'credential' || kind === 'missing';
}

/** Reports whether another agent with this node id is online. */
export const isNodeIdTaken = (error: unknown): boolean => isApiError(error) && error.code === 'conflict';

/** Reports whether the server cannot accept the reported facts. */
export function areFactsRejected(error: unknown): boolean {
  const kind = classOf(error);
  return kind === 'input' || kind === 'content';
}

/**
 * Reports whether the server will never accept any line of this batch. `isEmpty`: it has none, which only servers with
 * a ledger accept.
 */
export function isBatchRejected(error: unknown, isEmpty: boolean): boolean {
  const kind = classOf(error);
  return kind === 'content' || (isEmpty && kind === 'input');
}

/** Reports whether the server refuses on purpose, so that trying again soon changes nothing. */
export const isPermanentRefusal = (error: unknown): boolean =>
  isApiError(error) && !isRetryable(error.status, error.code) && classOf(error) !== 'server';

/** Wait that the answer asked for, milliseconds. */
export function retryAfterMs(error: unknown): number {
  return isApiError(error) || isUnexpectedAnswerError(error) ? (error.retryAfterMs ?? 0) : 0;
}
