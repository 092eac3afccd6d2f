// The session of a browser, in a cookie that no script can read (wire contract section 12).
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** Header beside which the cookie counts. A page of another origin cannot send it without leave of the server. */
const HEADER = 'quarterdeck-session';

// The prefix keeps pages of other hosts, and pages without TLS, from setting the cookie (draft RFC 6265bis, 4.1.3).
const NAME = '__Host-quarterdeck';
/** Name where a browser speaks plain HTTP to its own host: no browser needs to accept the other one there. */
const NAME_ON_LOOPBACK = 'quarterdeck';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** True where a browser asks its own host, without a proxy between them, which might speak TLS to it. */
const isLoopback = (headers: IncomingHttpHeaders): boolean =>
  LOOPBACK.test(headers.host ?? '') && headers['x-forwarded-for'] === undefined && headers.forwarded === undefined;

/** Reports whether a request wants its session in a cookie. */
export const wantsCookie = (headers: IncomingHttpHeaders): boolean => headers[HEADER] === 'cookie';

/** Reports whether a request may come from a page of another origin. A program sends no `Sec-Fetch-Site`. */
export function isForeign(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin';
}

/** Returns the secret of the session cookie; undefined where there is none, or where it does not count. */
export function readSessionCookie(headers: IncomingHttpHeaders): string | undefined {
  if (!wantsCookie(headers) || isForeign(headers)) return undefined;
  const names = isLoopback(headers) ? [NAME, NAME_ON_LOOPBACK] : [NAME];
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [name = '', value = ''] = pair.trim().split('=', 2);
    if (names.includes(name) && value !== '') return value;
  }
  return undefined;
}

/** `Set-Cookie` of a new session; without `maxAgeS` the browser drops it when it is closed. */
export function sessionCookie(req: IncomingMessage, secret: string, maxAgeS?: number): string {
  const isPlain = isLoopback(req.headers) && (req.socket as Partial<TLSSocket>).encrypted !== true;
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict'];
  if (!isPlain) attributes.push('Secure');
  if (maxAgeS !== undefined) attributes.push(`Max-Age=${maxAgeS}`);
  return [`${isPlain ? NAME_ON_LOOPBACK : NAME}=${secret}`, ...attributes].join('; ');
}

/** `Set-Cookie` that removes the cookie. */
export const noSessionCookie = (req: IncomingMessage): string => sessionCookie(req, '', 0);
