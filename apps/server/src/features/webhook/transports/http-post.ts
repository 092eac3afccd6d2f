// Sends one HTTP request to an address that a user chose. It connects to addresses that were checked and to no others,
// follows no redirect, and bounds time and size of the answer.
import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent, type RequestOptions as HttpsOptions, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { visibleText } from '@quarterdeck/core';
import { forwarded, isOwnHost, moduleOf, openTunnel, type Proxies, proxyFor } from '@quarterdeck/core/network';
import { type AddressRules, allowedAddresses, type HostAddress, hostOf } from './allowed-address.ts';
import { failureText } from './failure-text.ts';
import { oneLine } from './message-text.ts';
import type { Outcome } from './transport.ts';

/** Settings of all requests. */
export interface HttpPostOptions extends AddressRules {
  readonly userAgent: string;
  /** Time limit of a request with all of its parts. */
  readonly timeoutMs: number;
  /** Authorities of certificates in PEM; undefined = those of Node. */
  readonly ca?: string | undefined;
  /** Proxies of the environment. */
  readonly proxies?: Proxies | undefined;
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

/** Most bytes of headers of an answer, and of its body. */
const HEADERS_MAX = 16 * 1024;
const ANSWER_MAX = 64 * 1024;
/** Most answers with a status below 200. */
const INTERIM_MAX = 10;
/** Most characters of an answer in an error. */
const QUOTE_MAX = 300;
/** Shorter parts of an address are no secrets. */
const SECRET_MIN = 6;

/** Creates the function that sends requests. */
export function createHttpPost(options: HttpPostOptions): HttpPost {
  const { resolve, allow, timeoutMs } = options;
  return async (post, signal, read) => {
    // One timer for all: name, connection, TLS, headers and body.
    const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const addresses = await allowedAddresses(hostOf(post.url), { resolve, allow }, ended);
      const answer = await exchange(post, addresses, options, ended);
      return outcomeOf(answer, post, read?.(answer) ?? {});
    } catch (error) {
      return { ok: false, status: null, error: failureText(error as Error, post.url, ended, timeoutMs) };
    }
  };
}

async function exchange(
  { method = 'POST', url, headers, body }: Post,
  addresses: readonly [HostAddress, ...HostAddress[]],
  { userAgent, ca, proxies }: HttpPostOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const [first] = addresses;
  const via = await throughProxy(isOwnHost(first.address) ? undefined : proxyFor(proxies, url), url, first, {
    ca,
    signal,
  });
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const options: HttpsOptions = {
    method,
    protocol: url.protocol,
    hostname: hostOf(url),
    port: url.port,
    path: url.pathname + url.search,
    headers: {
      'user-agent': userAgent,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...headers,
    },
    // The checked addresses: a second lookup might find others.
    lookup: (_host, { all }, done) => (all ? done(null, [...addresses]) : done(null, first.address, first.family)),
    // A connection of its own.
    agent: false,
    maxHeaderSize: HEADERS_MAX,
    // The environment cannot turn the check off.
    rejectUnauthorized: true,
    ca,
    signal,
  };
  const request: ClientRequest = via === undefined ? send(options) : via(options);
  let isAnswered = false;
  // An error after the status does not matter any more.
  request.on('error', (error) => !isAnswered && reject(error));
  // Node reports no error when the receiver changes the protocol.
  request.on('close', () => !isAnswered && reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  let interim = 0;
  request.on('information', () => {
    interim += 1;
    if (interim > INTERIM_MAX) request.destroy();
  });
  request.once('response', async (response) => {
    isAnswered = true;
    const text = await readStart(response);
    request.destroy();
    resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
  });
  request.end(body);
  return promise;
}

/** Sends a request through a proxy. */
type Via = (options: HttpsOptions) => ClientRequest;

/**
 * Prepares a request through a proxy; undefined without one. The proxy is told the checked address, not the name: it
 * might find others, and reach what the check refuses.
 */
async function throughProxy(
  proxy: URL | undefined,
  url: URL,
  { address, family }: HostAddress,
  { ca, signal }: { readonly ca: string | undefined; readonly signal: AbortSignal },
): Promise<Via | undefined> {
  if (proxy === undefined) return undefined;
  const target = new URL(url);
  target.hostname = family === 6 ? `[${address}]` : address;
  if (url.protocol === 'http:') {
    return ({ lookup: _own, hostname: _host, ...options }) =>
      moduleOf(proxy).request(
        forwarded(proxy, target, { ...options, headers: { host: url.host, ...(options.headers as object) } }),
      );
  }
  const socket = await openTunnel(proxy, address, Number(url.port || 443), signal);
  const host = hostOf(url);
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const agent = new Agent({ keepAlive: false });
  agent.createConnection = () => connectTls({ socket, host, ca, rejectUnauthorized: true, ...servername });
  return (options) => httpsRequest({ ...options, agent });
}

/** Reads the first bytes of an answer, as far as they come: the status counts, whatever happens to the rest. */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= ANSWER_MAX) break;
    }
  } catch {
    // The receiver closed the connection, or the time is over.
  }
  return Buffer.concat(chunks).toString('utf8', 0, ANSWER_MAX);
}

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
