// What a failed call means for an agent. Only codes and numbers of an answer are repeated: a log must not carry a secret
// that a strange server sends back.
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

/** The server says, itself and clearly, that it does not take this secret or does not know this agent. */
export const isForgotten = (error: unknown): boolean =>
  isApiError(error) && [401, 404, 410].includes(error.status) && error.code !== 'unknown_path';

/** The server says that another agent with this node id is online. */
export const isOccupied = (error: unknown): boolean => isApiError(error) && error.code === 'conflict';

/** The server says that it cannot take what was reported. */
export const isUnacceptable = (error: unknown): boolean =>
  isApiError(error) && [400, 413, 415, 422].includes(error.status);

/** The server says that it takes nothing of a batch of lines, and never will. */
export const isBatchRefused = (error: unknown): boolean =>
  isApiError(error) && ['nothing_accepted', 'idempotency_conflict', 'too_large'].includes(error.code);

/** The server refuses on purpose: trying again soon changes nothing. */
export function isRefusal(error: unknown): boolean {
  return isApiError(error) && error.status >= 400 && error.status < 500 && ![408, 425, 429].includes(error.status);
}

/** How long the answer asked to wait, milliseconds. */
export function retryAfterMs(error: unknown): number {
  return isApiError(error) || isUnexpectedAnswerError(error) ? (error.retryAfterMs ?? 0) : 0;
}
