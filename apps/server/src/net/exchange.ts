// One HTTP request to addresses that were checked, and to no others. It follows no redirect, and bounds the answer; the
// caller bounds the time.
import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent, type RequestOptions as HttpsOptions, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { forwarded, isOwnHost, moduleOf, openTunnel, type Proxies, proxyFor } from '@quarterdeck/core/network';
import { type HostAddress, hostOf } from './allowed-address.ts';

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** An answer to a request. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Start of the body: at most the number of bytes that the options say. */
  readonly body: Buffer;
  /** The body was longer, or broke off. */
  readonly isCut: boolean;
}

/** Settings of requests. */
export interface ExchangeOptions {
  readonly userAgent: string;
  /** Bytes that are read of a body. */
  readonly maxBytes: number;
  /** Authorities of certificates in PEM; undefined = those of Node. */
  readonly ca?: string | undefined;
  /** Proxies of the environment. */
  readonly proxies?: Proxies | undefined;
}

/** Most bytes of headers of an answer. */
const HEADERS_MAX = 16 * 1024;
/** Most answers with a status below 200. */
const INTERIM_MAX = 10;

/** Sends a request to one of the addresses of its host. Rejects where there is no answer. */
export async function exchange(
  { method, url, headers, body }: HttpRequest,
  addresses: readonly [HostAddress, ...HostAddress[]],
  { userAgent, ca, proxies, maxBytes }: ExchangeOptions,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const [first] = addresses;
  const via = await throughProxy(isOwnHost(first.address) ? undefined : proxyFor(proxies, url), url, first, {
    ca,
    signal,
  });
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const options: HttpsOptions = {
    method,
    protocol: url.protocol,
    hostname: hostOf(url),
    port: url.port,
    path: url.pathname + url.search,
    headers: {
      'user-agent': userAgent,
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
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
    const read = await readStart(response, maxBytes);
    request.destroy();
    resolve({ status: response.statusCode ?? 0, headers: response.headers, ...read });
  });
  request.end(body);
  return promise;
}

/** Sends a request through a proxy. */
type Via = (options: HttpsOptions) => ClientRequest;

/**
 * Prepares a request through a proxy; undefined without one. The proxy gets the checked address, not the name: it
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
async function readStart(response: IncomingMessage, maxBytes: number): Promise<Pick<HttpAnswer, 'body' | 'isCut'>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) break;
    }
  } catch {
    // The receiver closed the connection, or the time is over.
    bytes = Number.POSITIVE_INFINITY;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: bytes > maxBytes };
}
