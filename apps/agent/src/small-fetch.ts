// As much of `fetch` as the SDK asks for, over node:http. The one that Node brings parses answers with WebAssembly: that
// costs an agent a quarter of its memory, and does not work where no code may be made while a program runs (--jitless).
// Answers that do not end are given up: what answers may not be our server.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** Statuses whose answers have no body. */
const EMPTY = new Set([204, 205, 304]);
const KEPT = { keepAlive: true, maxSockets: 4 };
const httpAgent = new HttpAgent(KEPT);
const httpsAgent = new HttpsAgent(KEPT);

function open(url: URL, init: RequestInit) {
  const options = {
    method: init.method ?? 'GET',
    headers: Object.fromEntries(new Headers(init.headers)),
    ...(init.signal ? { signal: init.signal } : {}),
  };
  return url.protocol === 'https:'
    ? httpsRequest(url, { ...options, agent: httpsAgent })
    : httpRequest(url, { ...options, agent: httpAgent });
}

async function read(answer: IncomingMessage, maxBytes: number): Promise<Response> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Leaving the loop ends the connection.
    if (length > maxBytes) throw new Error(`an answer of more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const status = answer.statusCode ?? 0;
  return new Response(EMPTY.has(status) ? null : new Uint8Array(Buffer.concat(chunks)), { status, headers });
}

/**
 * A `fetch` for text and bytes whose answers fail when they grow over so many bytes. Redirects are answers like any
 * other. It resolves when the whole answer is there.
 */
export const smallFetch =
  (maxBytes: number): typeof fetch =>
  (input, init = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const request = open(new URL(String(input)), init);
    request.once('error', reject);
    request.once('response', (answer) => read(answer, maxBytes).then(resolve, reject));
    request.end(init.body ?? undefined);
    return promise;
  };
