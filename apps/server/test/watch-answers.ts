// Checks every answer of the servers under test against the OpenAPI document, whoever asked for it.
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atMost } from '../../../test/thoroughness.ts';
import { openApiDocument } from '../src/http/openapi.ts';
import { AnswerCheck } from './answer-check.ts';

/** Bytes of an answer that are checked; JSON is never cut. */
const STREAM_MAX = 256 * 1024;

const check = new AnswerCheck(openApiDocument());
/** Answers of each status to each path that are checked: most others are alike. The thorough run checks all. */
const CHECKED_MAX = atMost(4, Number.POSITIVE_INFINITY);
const checked = new Map<string, number>();

/** Counts an answer; returns whether it is one of those to check. */
function isChecked(method: string, url: string, status: number): boolean {
  const key = `${method} ${url.replace(/\?.*/, '').replaceAll(/\d+/g, '0')} ${status}`;
  const count = (checked.get(key) ?? 0) + 1;
  checked.set(key, count);
  return count <= CHECKED_MAX;
}

/** Port of a watched server -> the problems of its answers so far. */
const watched = new Map<number, string[]>();

/** The answers of a server, until they are checked. */
export interface WatchedAnswers {
  /** @throws Error if an answer since the last call differed from the document */
  verify(): void;
  stop(): void;
}

/** Watches the server on a port of this process. */
export function watchAnswers(port: number): WatchedAnswers {
  const problems: string[] = [];
  watched.set(port, problems);
  return {
    stop: () => void watched.delete(port),
    verify() {
      const different = [...new Set(problems.splice(0))];
      if (different.length > 0) throw new Error(`answers differ from the document:\n${different.join('\n')}`);
    },
  };
}

/** Message of Node's channel. */
interface RequestStart {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly server: Server;
}

subscribe('http.server.request.start', (message) => {
  const { request, response, server } = message as RequestStart;
  const problems = watched.get((server.address() as AddressInfo | null)?.port ?? -1);
  if (problems !== undefined) observe(request, response, problems);
});

/** Collects the body of an answer as it is written, and checks the answer at its end. */
function observe(request: IncomingMessage, response: ServerResponse, problems: string[]): void {
  const { method = '', url = '' } = request;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const isStream = () => !String(response.getHeader('content-type')).includes('json;');
  const note = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    if (bytes > STREAM_MAX && isStream()) return;
    const piece = typeof chunk === 'string' ? Buffer.from(chunk, encodingOf(encoding)) : Buffer.from(chunk);
    bytes += piece.length;
    chunks.push(piece);
  };
  const { write, end } = response;
  response.write = ((chunk: unknown, encoding: unknown, ...rest: unknown[]) => {
    note(chunk, encoding);
    return (write as (...all: unknown[]) => boolean).call(response, chunk, encoding, ...rest);
  }) as typeof write;
  response.end = ((chunk: unknown, encoding: unknown, ...rest: unknown[]) => {
    note(chunk, encoding);
    return (end as (...all: unknown[]) => ServerResponse).call(response, chunk, encoding, ...rest);
  }) as typeof end;
  response.once('close', () => {
    if (!response.headersSent) return;
    const body = method === 'HEAD' || bytes === 0 ? undefined : Buffer.concat(chunks);
    const { statusCode: status } = response;
    if (!isChecked(method, url, status)) return;
    problems.push(...check.problemsOf({ method, url, status, headers: response.getHeaders(), body }));
  });
}

const encodingOf = (encoding: unknown): BufferEncoding =>
  typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8';
