// Sends one HTTP request to an address that a user chose. It connects to addresses that were checked and to no others,
// follows no redirect, and bounds time and size of the answer.
import type { IncomingHttpHeaders } from 'node:http';
import { visibleText } from '@quarterdeck/core';
import { AddressNotAllowed, type AddressRules, allowedAddresses, hostOf } from '../../../net/allowed-address.ts';
import { type ExchangeOptions, exchange, type HttpRequest } from '../../../net/exchange.ts';
import { oneLine } from './message-text.ts';
import type { Outcome } from './transport.ts';

/** Settings of all requests. */
export interface HttpPostOptions extends AddressRules, Omit<ExchangeOptions, 'maxBytes'> {
  /** Time limit of a request with all of its parts. */
  readonly timeoutMs: number;
}

/** A request. */
export interface Post {
  /** POST by default. */
  readonly method?: 'POST' | 'PATCH';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
  /** Secrets of the request beside the parts of its address, which no error and no answer shows. */
  readonly secrets?: readonly string[];
  /** Name that the request gives the message, where the receiver gives it none. */
  readonly receipt?: string;
}

/** An answer to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Start of the body. */
  readonly text: string;
}

/** Parts of an outcome that only the service of a kind answers. */
export interface Reading {
  /** The message is there, whatever the status says. */
  readonly isDone?: boolean;
  /** The message that the request amends is not there. */
  readonly isMissing?: boolean;
  readonly isFinal?: boolean;
  readonly receipt?: string | undefined;
  /** Sentence for people in place of the body. */
  readonly answer?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly pauseMs?: number | undefined;
}

/** Result of a request. */
export type PostOutcome = Outcome & Pick<Reading, 'isMissing'>;

/** Sends a request once. */
export type HttpPost = (post: Post, signal: AbortSignal, read?: (answer: Answer) => Reading) => Promise<PostOutcome>;

/** Bytes that are read of an answer. */
const ANSWER_MAX = 64 * 1024;
/** Most characters of an answer in an error. */
const QUOTE_MAX = 300;
/** Shorter parts of an address are no secrets. */
const SECRET_MIN = 6;

/** Creates the function that sends requests. */
export function createHttpPost(options: HttpPostOptions): HttpPost {
  const { timeoutMs } = options;
  return async (post, signal, read) => {
    // One timer for all: name, connection, TLS, headers and body.
    const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const addresses = await allowedAddresses(hostOf(post.url), options, ended);
      const { body, ...head } = await exchange(requestOf(post), addresses, { ...options, maxBytes: ANSWER_MAX }, ended);
      const answer = { ...head, text: body.toString('utf8') };
      return outcomeOf(answer, post, read?.(answer) ?? {});
    } catch (error) {
      return { ok: false, status: null, error: failureText(error as Error, post.url, ended, timeoutMs) };
    }
  };
}

const requestOf = ({ method = 'POST', url, headers, body }: Post): HttpRequest => ({
  method,
  url,
  headers: { 'content-type': 'application/json', ...headers },
  body,
});

function outcomeOf({ status, headers, text }: Answer, post: Post, reading: Reading): PostOutcome {
  const {
    isDone,
    isMissing,
    isFinal,
    receipt = post.receipt,
    retryAfterMs = parseRetryAfter(headers['retry-after']),
    pauseMs,
  } = reading;
  const quote = oneLine(withoutSecrets(visibleText(reading.answer ?? text), post), QUOTE_MAX);
  if (isDone || (status >= 200 && status < 300)) {
    return {
      ok: true,
      status,
      ...(receipt === undefined ? {} : { receipt }),
      ...(quote === '' ? {} : { answer: quote }),
      ...(pauseMs === undefined ? {} : { pauseMs }),
    };
  }
  if (status >= 300 && status < 400) {
    const error = `The receiver answers with a redirect (${status}), which is not followed. Use the final address.`;
    return { ok: false, status, error };
  }
  const error = quote === '' ? `The receiver answers ${status}.` : `The receiver answers ${status}: ${quote}`;
  return {
    ok: false,
    status,
    error,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(isMissing ? { isMissing } : {}),
    ...(isFinal ? { isFinal } : {}),
  };
}

/** Removes secrets, and the parts of an address that may be one: pages about errors often repeat them. */
function withoutSecrets(text: string, { url: { pathname, search, searchParams }, secrets = [] }: Post): string {
  const raw = [pathname + search, pathname, search, ...pathname.split('/'), ...search.split(/[?&=]/)];
  const all = [...secrets, ...secrets.map(encodeURIComponent), ...raw, ...raw.map(decoded), ...searchParams.values()];
  const parts = all.filter((part) => part.length >= SECRET_MIN);
  parts.sort((a, b) => b.length - a.length);
  return parts.reduce((rest, part) => rest.replaceAll(part, '…'), text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Milliseconds of `Retry-After`: whole seconds, or a date. */
function parseRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

const CERTIFICATE = /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT)/;
const TLS = /^(ERR_SSL_|ERR_TLS_|EPROTO|ETLS)/;

/** One line for people. It names host and port of the address, and nothing after them. */
function failureText(error: Error, url: URL, ended: AbortSignal, timeoutMs: number): string {
  const { host, hostname } = url;
  const { code = error.name } = error as NodeJS.ErrnoException;
  if (error instanceof AddressNotAllowed) return error.message;
  if (ended.aborted) return stopText(ended, `${host} did not answer within ${timeoutMs / 1000} s.`);
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The name ${hostname} cannot be resolved (${code}).`;
    case 'EPROXY':
      return `${host} could not be reached: ${error.message}.`;
    case 'ECONNREFUSED':
      return `${host} refused the connection.`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `${host} closed the connection before it answered.`;
    case 'HPE_HEADER_OVERFLOW':
      return `The headers of the answer of ${host} are too large.`;
    default:
  }
  if (code.startsWith('HPE_')) return `The answer of ${host} is not HTTP (${code}).`;
  return connectionText(code, host);
}

/** The reason for which there is no connection. */
export function connectionText(code: string, host: string): string {
  if (CERTIFICATE.test(code)) return `The certificate of ${host} is not valid (${code}).`;
  if (TLS.test(code)) return `TLS with ${host} failed (${code}).`;
  return `${host} could not be reached (${code}).`;
}

/** The reason for which an attempt was ended: its time is over, or the server stops. */
export function stopText(ended: AbortSignal, timeout: string): string {
  return (ended.reason as Error).name === 'TimeoutError' ? timeout : 'The attempt was stopped.';
}
