// Writes JSON answers. One place, so that every answer has the same headers.
import type { Request, Response } from 'express';

/** Sends a JSON body. `type` differs only for RFC 9457 problem documents. */
export function sendJson(req: Request, res: Response, status: number, body: unknown, type = 'application/json'): void {
  const text = JSON.stringify(body);
  res.statusCode = status;
  res.setHeader('Content-Type', `${type}; charset=utf-8`);
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(req.method === 'HEAD' ? undefined : text);
}
