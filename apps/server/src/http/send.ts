// Writes JSON answers. One place, so that every answer has the same headers.
import type { Request, Response } from 'express';

/** This many answers are not kept waiting for more. */
const TOGETHER_MAX = 32;

let waiting: { readonly res: Response; readonly text: string | undefined }[] = [];

/**
 * Sends a JSON body. `type` differs only for RFC 9457 problem documents.
 *
 * The answers of one round of the event loop leave together at its end. One at a time, each would wake a client that
 * then falls asleep again, at the expense of this process: a third of all that a small answer costs.
 */
export function sendJson(req: Request, res: Response, status: number, body: unknown, type = 'application/json'): void {
  const text = JSON.stringify(body);
  res.setHeader('Content-Type', `${type}; charset=utf-8`);
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.writeHead(status);
  if (waiting.length === 0) setImmediate(sendWaiting);
  waiting.push({ res, text: req.method === 'HEAD' ? undefined : text });
  if (waiting.length === TOGETHER_MAX) sendWaiting();
}

/** Sends now what would leave at the end of this round. */
export function sendWaiting(): void {
  const answers = waiting;
  waiting = [];
  for (const { res, text } of answers) res.end(text);
}
