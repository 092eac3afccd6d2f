// Describes failures of requests.
import { isApiError, isNetworkError, isTimeoutError } from '@quarterdeck/sdk';
import { text } from '../text/common.ts';
import type { Failure } from './query.ts';

/** Describes any failure. */
export function failureOf(error: unknown): Failure {
  if (isApiError(error)) {
    const { status, code, message } = error;
    return { message, status, code, isTemporary: status >= 500 };
  }
  if (isTimeoutError(error)) return { message: text.failure.timeout, isTemporary: true };
  if (isNetworkError(error)) return { message: text.failure.network, isTemporary: true };
  return { message: text.failure.unexpected, isTemporary: false };
}
