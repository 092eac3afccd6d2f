// Why something did not work, in words for a person. The only place that looks into the SDK's errors.
import { type ApiError, isApiError, isNetworkError, isTimeoutError, isUnexpectedAnswerError } from '@quarterdeck/sdk';
import { clean } from '../text/clean.ts';
import { NotConfirmed } from './not-confirmed.ts';

/** A failure as the screen shows it. */
export interface Failure {
  /** `refused`: the server said no. `unreachable`: it may work again by itself. `unexpected`: something else answered. */
  readonly kind: 'refused' | 'unauthorized' | 'unreachable' | 'unexpected';
  /** The server's word for it, where it was the server that refused. */
  readonly code?: string | undefined;
  /** One cleaned sentence. */
  readonly message: string;
  /** What the server's log calls the request. */
  readonly requestId?: string | undefined;
  /** Refused fields: `body.name` -> what is wrong with it. */
  readonly fields: Readonly<Record<string, string>>;
}

const NETWORK_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening there',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be looked up',
  ECONNRESET: 'the connection broke',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the network',
  ETIMEDOUT: 'the host does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'the host does not answer',
};

/** A 401 that is about what was typed: the credential of the call is good. */
const ABOUT_WHAT_WAS_TYPED: readonly string[] = ['login_failed', 'otp_required'];

const isCredentialRefusal = ({ status, code }: ApiError): boolean =>
  status === 401 && !ABOUT_WHAT_WAS_TYPED.includes(code);

/** Puts any failure into words. */
export function failureOf(error: unknown): Failure {
  if (isApiError(error)) {
    const fields = Object.fromEntries(error.fields.map(({ path, message }) => [clean(path), clean(message)]));
    const detail = error.detail === undefined ? '' : ` ${clean(error.detail)}`;
    return {
      code: error.code,
      kind: isCredentialRefusal(error) ? 'unauthorized' : error.status >= 500 ? 'unreachable' : 'refused',
      message: `${clean(error.message)}${detail}`,
      requestId: error.requestId === undefined ? undefined : clean(error.requestId),
      fields,
    };
  }
  if (isNetworkError(error)) {
    const why = NETWORK_WORDS[error.code ?? ''] ?? 'there is no answer';
    return { kind: 'unreachable', message: `The server cannot be reached: ${why}.`, fields: {} };
  }
  if (isTimeoutError(error)) return { kind: 'unreachable', message: 'The server does not answer in time.', fields: {} };
  if (isUnexpectedAnswerError(error)) {
    const passing = error.status >= 500 || error.status === 429;
    return {
      kind: passing ? 'unreachable' : 'unexpected',
      message: `Something else than a Quarterdeck server answered (HTTP ${error.status}).`,
      fields: {},
    };
  }
  if (error instanceof NotConfirmed) {
    return { kind: 'refused', message: 'Not confirmed; nothing was changed.', fields: {} };
  }
  // Not from the SDK: a fault of our own. Its text may hold anything, so only its name is shown.
  const name = error instanceof Error ? error.name : typeof error;
  return { kind: 'unexpected', message: `Something went wrong here (${clean(name)}).`, fields: {} };
}
