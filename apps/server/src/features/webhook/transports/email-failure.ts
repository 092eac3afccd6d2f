// Names the reason for which an e-mail was not sent.

import { connectionText, stopText } from './http-post.ts';
import { oneLine } from './message-text.ts';
import type { Outcome } from './transport.ts';

/** An error of nodemailer. */
export interface SmtpError extends Error {
  readonly code?: string;
  /** Code of the system, such as ECONNREFUSED. */
  readonly originalCode?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly command?: string;
  readonly recipient?: string;
}

const QUOTE_MAX = 300;
/** Commands whose refusal concerns this message or its recipient; that of others, the sender or the settings. */
const MESSAGE_COMMANDS: readonly string[] = ['RCPT TO', 'DATA'];

/** Result of a failed attempt: one line for people, without the password. */
export function emailFailure(
  error: SmtpError,
  { host, password = '' }: { readonly host: string; readonly password: string | undefined },
  ended: AbortSignal,
): Outcome {
  const { response = '', responseCode = null, command = '' } = error;
  if (responseCode === null) return { ok: false, status: null, error: reasonOf(error, host, ended) };
  // Servers may quote what they were sent.
  const secrets = [password, Buffer.from(password).toString('base64')].filter((secret) => secret !== '');
  const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), response);
  const quote = oneLine(safe, QUOTE_MAX);
  const isRefused = responseCode >= 500 && MESSAGE_COMMANDS.includes(command);
  return {
    ok: false,
    status: responseCode,
    error: `${host} refused ${subjectOf(error)}: ${quote}`,
    ...(isRefused ? { isRefused } : {}),
  };
}

function subjectOf({ code, command, recipient }: SmtpError): string {
  if (code === 'EAUTH') return 'the sign-in';
  if (command === 'STARTTLS') return 'STARTTLS';
  if (command === 'MAIL FROM') return 'the sender';
  return recipient === undefined ? 'the message' : `the recipient ${recipient}`;
}

function reasonOf({ code = 'no code', originalCode = code }: SmtpError, host: string, ended: AbortSignal): string {
  if (ended.aborted) return stopText(ended, `${host} did not take the message in time.`);
  switch (code) {
    case 'EDNS':
      return `The name ${host} cannot be resolved.`;
    case 'EAUTH':
      return `The sign-in at ${host} failed.`;
    case 'ETIMEDOUT':
      return `${host} did not answer in time.`;
    default:
      return connectionText(originalCode, host);
  }
}
