// The head of a request, which Node does not check exactly: its line, its host (RFC 9110, 7.2) and the framing of its
// body (RFC 9112, sections 3, 6 and 7). A proxy and this server must never read two hosts or two lengths from one
// request.
import { isIPv6 } from 'node:net';
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

const VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1']);
const ABSOLUTE = /^https?:\/\/([^/?]*)(.*)$/i;

/**
 * Refuses unsupported versions, and targets that a proxy may read in another way. `http://host/path` becomes `/path`
 * (RFC 9112, 3.2.2).
 */
export const requestLine: Step = (req) => {
  if (!VERSIONS.has(req.httpVersion)) {
    throw new AppError('bad_request', { message: 'The version of HTTP must be 1.0 or 1.1.' });
  }
  const { url = '' } = req;
  if (url.includes('#')) throw new AppError('bad_request', { message: 'The path contains a fragment.' });
  if (url.startsWith('/') || url === '*') return;
  const [, host = '', path = ''] = ABSOLUTE.exec(url) ?? [];
  if (!isHost(host)) throw new AppError('bad_request', { message: 'The request is for no path of this server.' });
  req.url = path.startsWith('/') ? path : `/${path}`;
};

/** `reg-name` or `IPv4address` of RFC 3986, not empty: a URI of HTTP has a host (RFC 9110, 4.2.1). */
const NAME = "(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+";
const HOST = new RegExp(`^(?:${NAME}|\\[([^\\]]*)\\])(?::\\d*)?$`);

/** True for a text of the form `uri-host [ ":" port ]`. */
function isHost(text: string): boolean {
  const match = HOST.exec(text);
  return match !== null && (match[1] === undefined || isIPv6(match[1]));
}

/** Refuses a request with several Host headers, a malformed one, or none where its version needs one. */
export const requireHost: Step = ({ httpVersion, headers: { host }, rawHeaders }) => {
  if (host === undefined) {
    if (httpVersion === '1.0') return;
    throw new AppError('bad_request', { message: 'The header Host is missing.' });
  }
  if (!isHost(host)) throw new AppError('bad_request', { message: 'The header Host is not a host name or address.' });
  // `headers` has only the first of several.
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') count += 1;
  }
  if (count > 1) throw new AppError('bad_request', { message: 'The header Host is there more than once.' });
};
