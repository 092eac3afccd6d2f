// Reads a request's body after its caller is authorized, within the endpoint's limit.
import type { IncomingMessage } from 'node:http';
import { AppError, type Endpoint } from '@quarterdeck/core';
import getRawBody from 'raw-body';
import { readEncoding } from '../ingest/inflate.ts';
import { isBlank, parseJson } from '../ingest/json-bytes.ts';
import { type BodyForm, LinesBody } from '../ingest/lines-body.ts';

const BODY_LIMIT = 64 * 1024;

/** Essence of a Content-Type: lower case, without parameters; undefined where there is none. */
export function mediaType(req: IncomingMessage): string | undefined {
  return req.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() || undefined;
}

const isJson = (type: string | undefined) =>
  type === undefined || type === 'application/json' || type.endsWith('+json');
const isNdjson = (type: string | undefined) => type === 'application/x-ndjson' || type === 'application/jsonl';

/**
 * Reads the body as JSON, or as {@link LinesBody} where the endpoint takes lines. A missing optional body is `{}`.
 *
 * @throws AppError `body_missing`, `too_large`, `unsupported_media_type`, `malformed_json`, `bad_request`
 */
export async function readBody(req: IncomingMessage, endpoint: Endpoint): Promise<unknown> {
  const type = mediaType(req);
  const ndjson = endpoint.consumes === 'lines' && isNdjson(type);
  if (endpoint.consumes !== 'any_type' && !ndjson && !isJson(type)) {
    const wanted = endpoint.consumes === 'lines' ? 'application/json or application/x-ndjson' : 'application/json';
    throw new AppError('unsupported_media_type', { message: `The Content-Type must be ${wanted}.` });
  }
  const limit = endpoint.bodyLimit ?? BODY_LIMIT;
  if (endpoint.consumes === 'lines') return readLinesBody(req, ndjson ? 'ndjson' : 'json', limit);
  readEncoding(req.headers['content-encoding'], false);
  const bytes = await readBytes(req, limit);
  if (!isBlank(bytes)) return parseJson(bytes);
  if (endpoint.bodyOptional) return {};
  throw new AppError('body_missing');
}

/**
 * Returns a body of lines as it arrives, of at most `limit` bytes. The intake inflates and parses it.
 *
 * @throws AppError `too_large`, `unsupported_media_type`, `bad_request`
 */
export async function readLinesBody(req: IncomingMessage, form: BodyForm, limit: number): Promise<LinesBody> {
  const encoding = readEncoding(req.headers['content-encoding'], true);
  return new LinesBody(await readBytes(req, limit), form, encoding);
}

async function readBytes(req: IncomingMessage, limit: number): Promise<Buffer> {
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
