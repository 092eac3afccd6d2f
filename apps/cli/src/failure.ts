// Failures of a command: their messages, and their exit codes.
import { errorClass, isRetryable } from '@quarterdeck/core/plain';
import { isApiError, isClientError, isUnexpectedAnswerError } from '@quarterdeck/sdk';
import { cleanLines } from '@quarterdeck/tui/text';
import { CommandError } from './command-error.ts';
import type { ExitName } from './exit-codes.ts';

/** A failure for people and for scripts. */
export interface Failure {
  readonly message: string;
  readonly exit: ExitName;
}

/** Explains what a command threw; throws what is a defect of this program. */
export function failureOf(error: unknown): Failure {
  const { message, exit } = explain(error);
  return { message: cleanLines(message).join('\n'), exit };
}

function explain(error: unknown): Failure {
  if (error instanceof CommandError) return { message: error.message, exit: error.exit };
  if (isApiError(error)) {
    const fields = error.fields.map(({ path, message }) => `  ${path}: ${message}`);
    const id = error.status >= 500 && error.requestId !== undefined ? [`  request id: ${error.requestId}`] : [];
    return {
      message: [withHint(error.message, error.code), ...fields, ...id].join('\n'),
      exit: exitOf(error.status, error.code),
    };
  }
  if (isUnexpectedAnswerError(error) && isRetryable(error.status)) return { message: error.message, exit: 'tryAgain' };
  if (isClientError(error)) return { message: error.message, exit: 'unreachable' };
  // The SDK refuses input that cannot be sent.
  if (
    error instanceof TypeError &&
    !('cause' in error) &&
    /^(?:params|query|url|apiToken|sessionToken|timeoutMs|lastEventId)/.test(error.message)
  ) {
    return { message: error.message, exit: 'usage' };
  }
  throw error;
}

/** Codes that a sign-in remedies. */
const SIGN_IN: readonly string[] = ['credential_missing', 'credential_invalid', 'session_expired', 'token_expired'];

const withHint = (message: string, code: string): string =>
  SIGN_IN.includes(code) ? `${message} Run: quarterdeck login` : message;

function exitOf(status: number, code: string): ExitName {
  if (isRetryable(status, code)) return 'tryAgain';
  switch (errorClass(status, code)) {
    case 'credential':
    case 'login':
    case 'permission':
      return 'notAllowed';
    case 'missing':
      return 'notFound';
    case 'unsupported':
      return status === 404 ? 'notFound' : 'refused';
    default:
      return 'refused';
  }
}
