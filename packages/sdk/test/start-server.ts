// A real HTTP server on its own port that gives the answers of a test.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { AppError, type AppErrorOptions, type ErrorCode, failure, success } from '@quarterdeck/core';

/** A recorded request. */
interface Seen {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Writes the answer to one request; `number` counts from 1. */
export type Answer = (response: ServerResponse, request: Seen, number: number) => void;

/** A running server; it ends with the scope. */
export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly Seen[];
  /** Resolves when this many requests have arrived. */
  requests(count: number): Promise<void>;
}

/** Starts a server. Without `answer` every request gets the data `null`. */
export async function startServer(answer: Answer = ok(null)): Promise<TestServer> {
  const seen: Seen[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    for (const look of waiting) look();
    answer(response, seen.at(-1) as Seen, seen.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    requests: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (seen.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes a JSON body. */
export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Answers with a success. */
export function ok(data: unknown, headers?: Record<string, string>): Answer {
  return (response) => send(response, 200, data === undefined ? { status: 0 } : success(data, Date.now()), headers);
}

/** Answers with a refusal. */
export function refuse(code: ErrorCode, headers?: Record<string, string>, options?: AppErrorOptions): Answer {
  const error = new AppError(code, options);
  return (response) => send(response, error.status, failure(error, 'req-1', Date.now()), headers);
}

/** Answers the first request with the first answer, and so on; the last one repeats. */
export function inTurn(...answers: readonly Answer[]): Answer {
  return (response, request, number) => answers[Math.min(number, answers.length) - 1]?.(response, request, number);
}

/** Cuts the connection without an answer. */
export const hangUp: Answer = (response) => void response.destroy();

/** Never answers. */
export const silence: Answer = () => undefined;

/** Answers with text of any type. */
export function text(status: number, contentType: string, body: string, headers: Record<string, string> = {}): Answer {
  return (response) => void response.writeHead(status, { 'content-type': contentType, ...headers }).end(body);
}
