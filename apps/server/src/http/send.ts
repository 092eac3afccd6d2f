// Writes answers. One place, so that every answer has the same headers.
import type { IncomingMessage, ServerResponse } from 'node:http';

/** This many answers are not kept waiting for more. */
const TOGETHER_MAX = 32;
/** Whoever waits for this many bytes has waited for some milliseconds; nobody should wait for two of them. */
const LARGE_BYTES = 32 * 1024;

const counts = new Map<number, number>();

/** JSON answers of this process so far, by HTTP status. */
export const answerCounts = (): ReadonlyMap<number, number> => counts;

/** Headers of every answer: no cache keeps it, and a browser that is led to it loads and runs nothing. */
export const ANSWER_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const;
const HEADERS = Object.entries(ANSWER_HEADERS);

/** The status of an answer, and the headers that every one has. `type` is its whole `Content-Type`. */
export function setHead(res: ServerResponse, status: number, type: string): void {
  res.statusCode = status;
  res.setHeader('Content-Type', type);
  for (const [name, value] of HEADERS) res.setHeader(name, value);
}

interface Waiting {
  readonly res: ServerResponse;
  readonly text: string | Buffer | undefined;
  readonly encoding: 'latin1' | 'utf8';
}

let waiting: Waiting[] = [];

/**
 * Sends a JSON body. `type` differs only for RFC 9457 problem documents.
 *
 * The answers of one round of the event loop leave together at its end. Sent one by one, each would wake a client that
 * goes back to sleep before the next, and waking costs this process a third of all that a small answer costs.
 */
export function sendJson(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  body: unknown,
  type = 'application/json',
): void {
  sendText(req, res, status, JSON.stringify(body), { type });
}

/** {@link sendJson} of a body that is JSON text already, or its UTF-8, of so many bytes in UTF-8. */
export function sendText(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  text: string | Buffer,
  { type = 'application/json', bytes = Buffer.byteLength(text) }: { type?: string; bytes?: number } = {},
): void {
  setHead(res, status, `${type}; charset=utf-8`);
  res.setHeader('Content-Length', bytes);
  res.writeHead(status);
  counts.set(status, (counts.get(status) ?? 0) + 1);
  if (waiting.length === 0) setImmediate(sendWaiting);
  // A text of ASCII alone is the same in both; Latin-1 goes out as it lies there, UTF-8 is measured and made once more.
  const encoding = bytes === text.length ? 'latin1' : 'utf8';
  waiting.push({ res, text: req.method === 'HEAD' ? undefined : text, encoding });
  if (waiting.length === TOGETHER_MAX || bytes >= LARGE_BYTES) sendWaiting();
}

/** Sends now what would leave at the end of this round. */
export function sendWaiting(): void {
  const answers = waiting;
  waiting = [];
  for (const { res, text, encoding } of answers) res.end(text, encoding);
}
