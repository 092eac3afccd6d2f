// The head of a request and the framing of its body (RFC 9112, sections 6 and 7), which Node does not check exactly. A
// proxy and this server must never read two lengths from one request.
import { AppError } from '@quarterdeck/core';
import type { Step } from '@quarterdeck/express/parts';

/** Bytes of the head of a request at most: its line, all headers, and the line ends. */
export const HEAD_BYTES_MAX = 16 * 1024;

/** Bytes of a header line besides its name and value. */
const HEADER_REST = ': \r\n'.length;
/** Bytes of a head besides method, target and headers. */
const HEAD_REST = '  HTTP/1.1\r\n\r\n'.length;

/** Refuses a head that is too large. Node counts neither the separators nor the line ends. */
export const limitHead: Step = ({ method = '', url = '', rawHeaders }, res) => {
  let bytes = HEAD_REST + method.length + url.length + (rawHeaders.length / 2) * HEADER_REST;
  for (const text of rawHeaders) bytes += text.length;
  if (bytes <= HEAD_BYTES_MAX) return;
  res.setHeader('Connection', 'close');
  throw new AppError('headers_too_large');
};

/** Refuses bodies with transfer codings other than `chunked`, of which Node decodes none. */
export const requireChunks: Step = ({ httpVersion, headers: { 'transfer-encoding': header } }, res) => {
  if (header === undefined) return;
  const codings = header.split(',').map((coding) => coding.trim().toLowerCase());
  if (httpVersion !== '1.0' && codings.length === 1 && codings[0] === 'chunked') return;
  // Its length is in doubt, and with it the start of the next request.
  res.setHeader('Connection', 'close');
  if (codings.some((coding) => coding !== '' && coding !== 'chunked')) throw new AppError('coding_not_implemented');
  throw new AppError('bad_request', { message: 'The header Transfer-Encoding must be chunked, over HTTP/1.1.' });
};
