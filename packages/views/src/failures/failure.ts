// Describes failures for the user. The only module that inspects the SDK's errors; core's table classifies them.
import { type ErrorClass, errorClass } from '@quarterdeck/core/plain';
import { isApiError, isNetworkError, isTimeoutError, isUnexpectedAnswerError } from '@quarterdeck/sdk';
import { clean } from '../text/clean.ts';
import { NotConfirmed } from './not-confirmed.ts';

/** A failure as the screen shows it. */
export interface Failure {
  /**
   * - `refused`: the server refused the request
   * - `unauthorized`: the credential of the request is missing or no longer valid
   * - `unreachable`: a temporary problem; the dashboard retries
   * - `unexpected`: the answer is not from a Quarterdeck server, or the dashboard has a bug
   */
  readonly kind: 'refused' | 'unauthorized' | 'unreachable' | 'unexpected';
  /** Error code of the server, if the server refused. */
  readonly code?: string | undefined;
  /** One cleaned sentence. */
  readonly message: string;
  /** Id of the request in the server's log. */
  readonly requestId?: string | undefined;
  /** Problems of refused fields by path, such as `body.name`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Explanations of network error codes. */
const NETWORK_PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'the host name cannot be resolved now',
  ECONNRESET: 'the connection was lost',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ETIMEDOUT: 'the host does not respond',
  UND_ERR_CONNECT_TIMEOUT: 'the host does not respond',
};

/** The dashboard's words for refusals whose message on the wire is fixed. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  login_failed: 'Incorrect password or code. Try again.',
};

/** Kinds of the classes of refusals; every other class is `refused`. */
const KIND_OF_CLASS: { readonly [C in ErrorClass]?: Failure['kind'] } = {
  credential: 'unauthorized',
  server: 'unreachable',
};

/** Kinds of the classes of answers that are not from a Quarterdeck server; every other class is `unexpected`. */
const KIND_OF_FOREIGN_CLASS: { readonly [C in ErrorClass]?: Failure['kind'] } = {
  server: 'unreachable',
  rate: 'unreachable',
};

/** Describes any failure. */
export function failureOf(error: unknown): Failure {
  if (isApiError(error)) {
    const fields = Object.fromEntries(error.fields.map(({ path, message }) => [clean(path), clean(message)]));
    const detail = error.detail === undefined ? '' : ` ${clean(error.detail)}`;
    return {
      code: error.code,
      kind: KIND_OF_CLASS[errorClass(error.status, error.code)] ?? 'refused',
      message: OWN_WORDS[error.code] ?? `${clean(error.message)}${detail}`,
      requestId: error.requestId === undefined ? undefined : clean(error.requestId),
      fields,
    };
  }
  if (isNetworkError(error)) {
    const why = NETWORK_PROBLEMS[error.code ?? ''] ?? 'no response';
    return { kind: 'unreachable', message: `Cannot reach the server: ${why}.`, fields: {} };
  }
  if (isTimeoutError(error)) return { kind: 'unreachable', message: 'The server did not respond in time.', fields: {} };
  if (isUnexpectedAnswerError(error)) {
    return {
      kind: KIND_OF_FOREIGN_CLASS[errorClass(error.status)] ?? 'unexpected',
      message: `The answer is not from a Quarterdeck server (HTTP ${error.status}). Check the address.`,
      fields: {},
    };
  }
  if (error instanceof NotConfirmed) {
    return { kind: 'refused', message: 'Not confirmed; nothing was changed.', fields: {} };
  }
  // A bug of the dashboard. Its message may contain anything, so only its name is shown.
  const name = error instanceof Error ? error.name : typeof error;
  return { kind: 'unexpected', message: `Internal error of the dashboard: ${clean(name)}.`, fields: {} };
}
