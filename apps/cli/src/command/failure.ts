// Failures of a command: their messages, and their exit codes.
import { errorClass, escapeUnseen, isRetryable } from '@quarterdeck/core/plain';
import { type ApiError, isApiError, isClientError, isUnexpectedAnswerError } from '@quarterdeck/sdk';
import { cleanLines } from '@quarterdeck/views/text';
import { CommandError } from '../process/command-error.ts';
import type { ExitName } from '../process/exit-codes.ts';
import { optionName } from './command.ts';

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
  if (error instanceof CommandError) {
    return { message: error.message.split('\n').map(escapeUnseen).join('\n'), exit: error.exit };
  }
  if (isApiError(error)) {
    const fields = error.fields.map(({ path, message }) => `${optionOf(path)}: ${message}`);
    // The message of the server repeats the first field in the words of the API.
    const [first] = error.fields;
    const isRepeated = first !== undefined && error.message === `${first.path}: ${first.message}`;
    const texts = isRepeated ? fields : [withHint(error.message, error.code), ...fields.map((field) => `  ${field}`)];
    const id = error.status >= 500 && error.requestId !== undefined ? [`  request id: ${error.requestId}`] : [];
    return {
      message: [...texts, ...id].join('\n'),
      exit: isUsage(error) ? 'usage' : exitOf(error.status, error.code),
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

/** Codes of refused input. */
const REFUSED_INPUT: readonly string[] = ['validation_failed', 'unknown_field'];

/** True where the server refused the filters of a command: options with a wrong value. */
const isUsage = ({ code, fields }: ApiError): boolean =>
  REFUSED_INPUT.includes(code) &&
  fields.length > 0 &&
  fields.every(({ path }) => /^(?:query|body\.filter)\b/.test(path));

/** Name of a field on the command line: `body.page_size` is the option `--page-size`, an id an argument. */
function optionOf(path: string): string {
  const [, slot, name = ''] = /^(body|query|params)\.([\w.]+)$/.exec(path) ?? [];
  if (slot === undefined) return path;
  return slot === 'params' ? name : optionName(name.split('.').at(-1) ?? name);
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
