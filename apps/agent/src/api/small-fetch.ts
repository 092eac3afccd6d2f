// The part of `fetch` that the SDK needs, over node:http. Node's own fetch parses answers with WebAssembly: that costs
// an agent a quarter of its memory and does not work under --jitless. Its Headers and Response would load all of it,
// and so would `import` of node:http, which names them all. An endless answer is aborted, because it may not come from
// our server.
import type { AgentOptions, IncomingMessage, RequestOptions } from 'node:http';
import { createTunnelAgent, type Proxies, proxyFor, requestVia } from '@quarterdeck/core/network';
import type { HttpAnswer, HttpRequest, Send } from '@quarterdeck/sdk';

const KEPT: AgentOptions = { keepAlive: true, maxSockets: 4 };

/** Creates requests over kept-alive connections. */
function requester({ Agent, request }: typeof import('node:http') | typeof import('node:https')) {
  const agent = new Agent(KEPT);
  return (url: URL, options: RequestOptions) => request(url, { ...options, agent });
}

let http: ReturnType<typeof requester> | undefined;
let https: ReturnType<typeof requester> | undefined;
/** Tunnels by the address of their proxy. */
const tunnels = new Map<string, ReturnType<typeof createTunnelAgent>>();

function open(url: URL, { method = 'GET', headers, signal }: HttpRequest, proxies: Proxies | undefined) {
  const options = { method, headers, ...(signal ? { signal } : {}) };
  const proxy = proxyFor(proxies, url);
  if (proxy !== undefined) {
    const agent = tunnels.get(proxy.href) ?? createTunnelAgent(proxy, KEPT);
    tunnels.set(proxy.href, agent);
    return requestVia(proxy, url, options, agent);
  }
  if (url.protocol === 'https:') {
    // Loaded on demand: encryption costs 5 MB.
    https ??= requester(process.getBuiltinModule('node:https'));
    return https(url, options);
  }
  http ??= requester(process.getBuiltinModule('node:http'));
  return http(url, options);
}

/**
 * Reads the body of an answer.
 *
 * @throws Error when it has more bytes, or the error of the connection
 */
export async function readBody(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length > maxBytes) throw new Error(`an answer of more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function read(answer: IncomingMessage, maxBytes: number): Promise<HttpAnswer> {
  const text = new TextDecoder().decode(await readBody(answer, maxBytes));
  const { statusCode: status = 0, headersDistinct } = answer;
  return {
    status,
    ok: status >= 200 && status < 300,
    type: 'basic',
    headers: { get: (name) => headersDistinct[name.toLowerCase()]?.join(', ') ?? null },
    // `text` holds the body.
    body: null,
    text: async () => text,
  };
}

/**
 * A `fetch` for text and bytes that fails when an answer exceeds `maxBytes`. Redirects are answers like any other. It
 * resolves when the answer is complete.
 */
export const smallFetch =
  (maxBytes: number, proxies?: Proxies): Send =>
  (url, init) => {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    const request = open(new URL(url), init, proxies);
    request.once('error', reject);
    request.once('response', (answer) => read(answer, maxBytes).then(resolve, reject));
    request.end(init.body ?? undefined);
    return promise;
  };
