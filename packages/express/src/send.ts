// Sends answers, all with the same headers.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { COMPRESSED_FROM, type Coding, chooseCoding, compress, compressOnce } from './compression.ts';
import { addVary } from './steps.ts';
import { admitUnsent, holdUnsent, TAKEN_AT_ONCE } from './unsent.ts';

/** Answers sent together at most. */
const TOGETHER_MAX = 32;
/** Bytes from which an answer is sent at once: building it took milliseconds, and no client should wait for two. */
const LARGE_BYTES = TAKEN_AT_ONCE;

const counts = new Map<number, number>();

/** JSON answers of this process so far, by HTTP status. */
export const answerCounts = (): ReadonlyMap<number, number> => counts;

/** Headers of every answer: caches do not store it, and a browser that opens it loads and runs nothing. */
export const ANSWER_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const;
const HEADERS = Object.entries(ANSWER_HEADERS);

/** Sets the status of an answer and the headers of every answer. `type` is the whole `Content-Type`. */
export function setHead(res: ServerResponse, status: number, type: string): void {
  res.statusCode = status;
  res.setHeader('Content-Type', type);
  for (const [name, value] of HEADERS) res.setHeader(name, value);
}

/** Sends an answer without a body: 204, or 304 to a read whose caller knows the present version. */
export function sendEmpty(res: ServerResponse, status: 204 | 304): void {
  for (const [name, value] of HEADERS) res.setHeader(name, value);
  res.statusCode = status;
  res.end();
}

/** Sends a page in HTML. `policy` is its `Content-Security-Policy`. */
export function sendHtml(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  page: Buffer,
  policy: string,
): void {
  setHead(res, status, 'text/html; charset=utf-8');
  res.setHeader('Content-Security-Policy', policy);
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Content-Length', page.length);
  res.end(req.method === 'HEAD' ? undefined : page);
}

interface Waiting {
  readonly res: ServerResponse;
  readonly text: string | Buffer | undefined;
  readonly encoding: 'latin1' | 'utf8';
}

let waiting: Waiting[] = [];

/** Options of a JSON answer. */
export interface SendOptions {
  /** Differs only for RFC 9457 problem documents. */
  readonly type?: string;
  /** Compress the body where the client asks for it. Never for a body with a secret, which its length would reveal. */
  readonly mayCompress?: boolean;
}

const PLAIN: SendOptions = {};

/**
 * Sends a JSON body.
 *
 * The answers of one round of the event loop are sent together at its end. Sent one by one, each would wake its client
 * separately, and a wake-up is a third of the cost of a small answer.
 */
export function sendJson(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  body: unknown,
  options = PLAIN,
): void {
  sendText(req, res, status, JSON.stringify(body), options);
}

/**
 * Like {@link sendJson}, for a body that is JSON text already.
 *
 * @throws AppError `overloaded` instead of a success while other answers that wait to be sent hold too much memory
 */
export function sendText(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  text: string | Buffer,
  { type = 'application/json', mayCompress = false }: SendOptions = PLAIN,
): void {
  const bytes = Buffer.byteLength(text);
  // A buffer is kept for other answers anyway.
  const isOwn = typeof text === 'string' && req.method !== 'HEAD';
  if (isOwn && (bytes > TAKEN_AT_ONCE || res.socket === null)) {
    if (status < 400) admitUnsent(res, bytes);
    else holdUnsent(res, bytes);
  }
  if (mayCompress && bytes >= COMPRESSED_FROM) {
    addVary(res, 'Accept-Encoding');
    const coding = chooseCoding(req.headers['accept-encoding']);
    if (coding !== undefined) return void sendCompressed(req, res, { status, type, text, bytes }, coding);
  }
  send(req, res, { status, type, text, bytes });
}

/** A body, and its head. */
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string | Buffer;
  /** Length of the text. */
  readonly bytes: number;
}

async function sendCompressed(
  req: IncomingMessage,
  res: ServerResponse,
  answer: Answer,
  coding: Coding,
): Promise<void> {
  const { text } = answer;
  const packed = await (typeof text === 'string' ? compress(text, coding) : compressOnce(text, coding)).catch(() => {});
  if (packed === undefined) return send(req, res, answer);
  res.setHeader('Content-Encoding', coding);
  send(req, res, { ...answer, text: packed, bytes: packed.length });
}

function send(req: IncomingMessage, res: ServerResponse, { status, type, text, bytes }: Answer): void {
  // The client left while its answer was compressed.
  if (res.destroyed) return;
  setHead(res, status, `${type}; charset=utf-8`);
  res.setHeader('Content-Length', bytes);
  res.writeHead(status);
  counts.set(status, (counts.get(status) ?? 0) + 1);
  if (waiting.length === 0) setImmediate(sendWaiting);
  // ASCII is the same in both encodings; Latin-1 is sent without being encoded again.
  const encoding = bytes === text.length ? 'latin1' : 'utf8';
  waiting.push({ res, text: req.method === 'HEAD' ? undefined : text, encoding });
  if (waiting.length === TOGETHER_MAX || bytes >= LARGE_BYTES) sendWaiting();
}

/** Sends the collected answers now. */
export function sendWaiting(): void {
  const answers = waiting;
  waiting = [];
  for (const { res, text, encoding } of answers) {
    res.end(text, encoding);
    if (typeof text === 'string' && res.writableLength > 0) holdUnsent(res, res.writableLength);
  }
}
