// The header Host (RFC 9112, 3.2; RFC 9110, 7.2). A proxy and this server must never read two hosts from one request.
import { isIPv6 } from 'node:net';
import { AppError } from '@quarterdeck/core';
import type { Step } from '@quarterdeck/express/parts';

/** `reg-name` or `IPv4address` of RFC 3986, not empty: a URI of HTTP has a host (RFC 9110, 4.2.1). */
const NAME = "(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+";
const HOST = new RegExp(`^(?:${NAME}|\\[([^\\]]*)\\])(?::\\d*)?$`);

/** True for a text of the form `uri-host [ ":" port ]`. */
export function isHost(text: string): boolean {
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
