// Reads the bodies of the log intake, and leaves all others to the reader of JSON.
import type { IncomingMessage } from 'node:http';
import { AppError, type Endpoint } from '@quarterdeck/core';
import { BODY_LIMIT, isJson, mediaType, readBytes, readJsonBody } from '@quarterdeck/express/parts';
import { type BodyForm, LinesBody, readEncoding } from '@quarterdeck/intake';

const isNdjson = (type: string | undefined) => type === 'application/x-ndjson' || type === 'application/jsonl';

/**
 * Reads the body as JSON, or as {@link LinesBody} where the endpoint takes lines. A missing optional body is `{}`.
 *
 * @throws AppError `body_missing`, `too_large`, `unsupported_media_type`, `malformed_json`, `bad_request`
 */
export async function readBody(req: IncomingMessage, endpoint: Endpoint): Promise<unknown> {
  if (endpoint.consumes !== 'lines') return readJsonBody(req, endpoint);
  const type = mediaType(req);
  if (!isNdjson(type) && !isJson(type)) {
    const message = 'The Content-Type must be application/json or application/x-ndjson.';
    throw new AppError('unsupported_media_type', { message });
  }
  return readLinesBody(req, isNdjson(type) ? 'ndjson' : 'json', endpoint.bodyLimit ?? BODY_LIMIT);
}

/**
 * Returns a body of lines as it arrives, of at most `limit` bytes. The intake inflates and parses it.
 *
 * @throws AppError `too_large`, `unsupported_media_type`, `bad_request`
 */
export async function readLinesBody(req: IncomingMessage, form: BodyForm, limit: number): Promise<LinesBody> {
  const encoding = readEncoding(req.headers['content-encoding']);
  return new LinesBody(await readBytes(req, limit), form, encoding);
}
