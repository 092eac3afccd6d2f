// Reads a request's body after its caller is authorized, within the endpoint's limit.
import type { IncomingMessage } from 'node:http';
import { AppError, type Endpoint, isBlankJson, parseJson } from '@quarterdeck/core';
import getRawBody from 'raw-body';

/** Bytes of a body at most, where its endpoint sets no other limit. */
export const BODY_LIMIT = 64 * 1024;

/** Essence of a Content-Type: lower case, without parameters; undefined where there is none. */
export function mediaType(req: IncomingMessage): string | undefined {
  return req.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() || undefined;
}

/** True for a media type of JSON, and for none at all. */
export const isJson = (type: string | undefined): boolean =>
  type === undefined || type === 'application/json' || type.endsWith('+json');

/**
 * Reads the body as JSON. A missing optional body is `{}`.
 *
 * @throws AppError `body_missing`, `too_large`, `unsupported_media_type`, `malformed_json`, `bad_request`
 */
export async function readJsonBody(req: IncomingMessage, endpoint: Endpoint): Promise<unknown> {
  if (endpoint.consumes !== 'any_type' && !isJson(mediaType(req))) {
    throw new AppError('unsupported_media_type', { message: 'The Content-Type must be application/json.' });
  }
  refuseEncoding(req.headers['content-encoding']);
  const bytes = await readBytes(req, endpoint.bodyLimit ?? BODY_LIMIT);
  if (!isBlankJson(bytes)) return parseJson(bytes);
  if (endpoint.bodyOptional) return {};
  throw new AppError('body_missing');
}

/** Refuses a compressed body: a few kilobytes can inflate to gigabytes. */
function refuseEncoding(header = ''): void {
  const encoding = header.trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return;
  throw new AppError('unsupported_media_type', { message: 'The body must not be compressed.' });
}

/**
 * Reads the bytes of a body.
 *
 * @throws AppError `bad_request` where the client has left, errors of raw-body with an HTTP status
 */
export async function readBytes(req: IncomingMessage, limit: number): Promise<Buffer> {
  // The client left during the check of its credential.
  if (req.destroyed) throw new AppError('bad_request');
  return readArrived(req, limit) ?? getRawBody(req, { limit, length: req.headers['content-length'] ?? null });
}

/**
 * Reads a body that has arrived whole, as small ones do during authorization, without listeners. Undefined for others.
 */
function readArrived(req: IncomingMessage, limit: number): Buffer | undefined {
  if (!req.complete || req.readableLength > limit || req.readableEnded) return undefined;
  return (req.read() as Buffer | null) ?? Buffer.alloc(0);
}
