// Sends one HTTP request to an address that a user chose. It connects to addresses that were checked and to no others,
// follows no redirect, and bounds time and size of the answer.
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent, type RequestOptions as HttpsOptions, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { visibleText } from '@quarterdeck/core';
import { forwarded, isOwnHost, moduleOf, openTunnel, type Proxies, proxyFor } from '@quarterdeck/core/network';
import type { Outcome } from '../transport.ts';
import { type AddressRules, allowedAddresses, type HostAddress, hostOf } from './allowed-address.ts';
import { failureText } from './failure-text.ts';
import { oneLine } from './message-text.ts';

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
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

/** Sends a request once. */
export type HttpPost = (post: Post, signal: AbortSignal) => Promise<Outcome>;

/** Most bytes of headers of an answer, and of its body. */
const HEADERS_MAX = 16 * 1024;
const ANSWER_MAX = 64 * 1024;
/** Most answers with a status below 200. */
const INTERIM_MAX = 10;
/** Most characters of an answer in an error. */
const QUOTE_MAX = 300;
/** Shorter parts of an address are no secrets. */
const SECRET_MIN = 6;

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Begin of the body. */
  readonly text: string;
}

/** Creates the function that sends requests. */
export function createHttpPost(options: HttpPostOptions): HttpPost {
  const { resolve, allow, timeoutMs } = options;
  return async (post, signal) => {
    // One timer for all: name, connection, TLS, headers and body.
    const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const addresses = await allowedAddresses(hostOf(post.url), { resolve, allow }, ended);
      return outcomeOf(await exchange(post, addresses, options, ended), post.url);
    } catch (error) {
      return { ok: false, status: null, error: failureText(error as Error, post.url, ended, timeoutMs) };
    }
  };
}

async function exchange(
  { url, headers, body }: Post,
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
    method: 'POST',
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
    resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], text });
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

function outcomeOf({ status, retryAfter, text }: Answer, url: URL): Outcome {
  if (status >= 200 && status < 300) return { ok: true, status };
  if (status >= 300 && status < 400) {
    const error = `The receiver answers with a redirect (${status}), which is not followed. Use the final address.`;
    return { ok: false, status, error };
  }
  const quote = oneLine(withoutSecrets(visibleText(text), url), QUOTE_MAX);
  const error = quote === '' ? `The receiver answers ${status}.` : `The receiver answers ${status}: ${quote}`;
  const retryAfterMs = parseRetryAfter(retryAfter);
  return { ok: false, status, error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** Removes the parts of an address that may be a secret: pages about errors often repeat them. */
function withoutSecrets(text: string, { pathname, search, searchParams }: URL): string {
  const raw = [pathname + search, pathname, search, ...pathname.split('/'), ...search.split(/[?&=]/)];
  const parts = [...raw, ...raw.map(decoded), ...searchParams.values()].filter((part) => part.length >= SECRET_MIN);
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
