// Reads a request's body, after the caller has been let in and within the endpoint's limit.
import type { IncomingMessage } from 'node:http';
import { AppError, type Endpoint } from '@quarterdeck/core';
import getRawBody from 'raw-body';
import { LinesBody } from '../ingest/http-lines.ts';
import { parseJson } from '../ingest/json-bytes.ts';
import { inflate, readEncoding } from './inflate.ts';

const BODY_LIMIT = 64 * 1024;

/** Essence of a Content-Type: lower case, without parameters; undefined where there is none. */
export function mediaType(req: IncomingMessage): string | undefined {
  return req.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() || undefined;
}

const isJson = (type: string | undefined) =>
  type === undefined || type === 'application/json' || type.endsWith('+json');
const isNdjson = (type: string | undefined) => type === 'application/x-ndjson' || type === 'application/jsonl';

/** Nothing but JSON's white space (RFC 8259, section 2), which on its own is no body. */
function isBlank(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
  return true;
}

/**
 * The body as JSON, or as {@link LinesBody} where the endpoint takes that. No body reads as `{}` where it is optional.
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
  const bytes = await readBytes(req, endpoint.bodyLimit ?? BODY_LIMIT, endpoint.consumes === 'lines');
  if (isBlank(bytes)) {
    if (endpoint.bodyOptional) return {};
    throw new AppError('body_missing');
  }
  return endpoint.consumes === 'lines' ? new LinesBody(bytes, ndjson) : parseJson(bytes);
}

/**
 * The body as it was before it was compressed. `limit` holds for what is sent and for what it becomes.
 *
 * @param mayBeCompressed only where large bodies are expected: elsewhere nothing is gained by it
 * @throws AppError `too_large`, `unsupported_media_type`, `bad_request`
 */
export async function readBytes(req: IncomingMessage, limit: number, mayBeCompressed: boolean): Promise<Buffer> {
  const encoding = readEncoding(req.headers['content-encoding'], mayBeCompressed);
  // The client left while its credential was checked.
  if (req.destroyed) throw new AppError('bad_request');
  const bytes =
    readArrived(req, limit) ?? (await getRawBody(req, { limit, length: req.headers['content-length'] ?? null }));
  return encoding === undefined || bytes.length === 0 ? bytes : inflate(bytes, encoding, limit);
}

/**
 * A body that has arrived as a whole, as small ones do while the caller is let in: nothing has to be listened for. Undefined where there is more to do.
 */
function readArrived(req: IncomingMessage, limit: number): Buffer | undefined {
  if (!req.complete || req.readableLength > limit || req.readableEnded) return undefined;
  return (req.read() as Buffer | null) ?? Buffer.alloc(0);
}
