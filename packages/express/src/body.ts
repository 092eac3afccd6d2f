// Reads a request's body after its caller is authorized, within the endpoint's limit.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, type Endpoint, isBlankJson, isOpenBody, parseJson } from '@quarterdeck/core';

/** Bytes of a body at most, where its endpoint sets no other limit. */
export const BODY_LIMIT = 64 * 1024;

/** Requests whose client waits for `100 Continue` before it sends the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * Lets the client of a request with `Expect: 100-continue` send its body once the body is read, and not before: a
 * refused body is never sent. Call it for the event `checkContinue` of the server.
 */
export function continueOnRead(req: IncomingMessage, res: ServerResponse): void {
  waiting.set(req, res);
}

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

/**
 * Reads the body of a request that takes none, whose members are unknown fields: `{"dry_run": true}` must not be passed
 * over. A body that is no JSON is returned as its text. Undefined for none, and where the endpoint ignores what it does
 * not know and cannot read.
 *
 * @throws AppError `too_large`, `bad_request`; never where unknown input is ignored
 */
export function readUnexpectedBody(req: IncomingMessage, endpoint: Endpoint): Promise<unknown> | undefined {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers;
  if ((length === '0' && encoding === undefined) || isOpenBody(endpoint)) return undefined;
  const body = readUnexpected(req, endpoint.bodyLimit ?? BODY_LIMIT);
  return endpoint.unknownInput === 'ignored' ? body.catch(() => undefined) : body;
}

async function readUnexpected(req: IncomingMessage, limit: number): Promise<unknown> {
  const bytes = await readBytes(req, limit);
  if (isBlankJson(bytes)) return undefined;
  try {
    return parseJson(bytes);
  } catch {
    return bytes.toString('utf8');
  }
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
 * @throws AppError `bad_request` where the client has left, `too_large` for a body over the limit
 */
export async function readBytes(req: IncomingMessage, limit: number): Promise<Buffer> {
  // The client left during the check of its credential.
  if (req.destroyed) throw new AppError('bad_request');
  if (Number(req.headers['content-length'] ?? 0) > limit) throw new AppError('too_large');
  waiting.get(req)?.writeContinue();
  waiting.delete(req);
  return readArrived(req, limit) ?? readArriving(req, limit);
}

/**
 * Reads a body that has arrived whole, as small ones do during authorization, without listeners. Undefined for others.
 */
function readArrived(req: IncomingMessage, limit: number): Buffer | undefined {
  if (!req.complete || req.readableLength > limit || req.readableEnded) return undefined;
  return (req.read() as Buffer | null) ?? Buffer.alloc(0);
}

/**
 * Reads a body while it arrives. Over the limit the rest stays unread, and the connection open for the answer. Node
 * ends a body at its announced length, and fails one whose client leaves before.
 */
async function readArriving(req: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limit) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new AppError('bad_request', { cause });
  }
  if (bytes > limit) throw new AppError('too_large');
  return Buffer.concat(chunks, bytes);
}
