// The session of a browser, in a cookie that no script can read (wire contract section 12).
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** Header beside which the cookie counts. A page of another origin cannot send it without leave of the server. */
const HEADER = 'quarterdeck-session';

// The prefix keeps pages of other hosts, and pages without TLS, from setting the cookie (draft RFC 6265bis, 4.1.3).
const NAME = '__Host-quarterdeck';
/** Name where a browser speaks plain HTTP to its own host: no browser needs to accept the other one there. */
const NAME_ON_LOOPBACK = 'quarterdeck';
/** End of the name of the cookie of a sign-in through a provider. */
const FLOW = '-sign-in';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** True where the host that the browser asks for is its own. */
export const isLoopback = ({ host = '' }: IncomingHttpHeaders): boolean => LOOPBACK.test(host);

/** Reports whether a request wants its session in a cookie. */
export const wantsCookie = (headers: IncomingHttpHeaders): boolean => headers[HEADER] === 'cookie';

/** Reports whether a request may come from a page of another origin. A program sends no `Sec-Fetch-Site`. */
export function isForeign(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin';
}

/** Returns the secret of the session cookie; undefined where there is none, or where it does not count. */
export const readSessionCookie = (headers: IncomingHttpHeaders): string | undefined =>
  wantsCookie(headers) ? readPageSession(headers) : undefined;

/**
 * Returns the secret of the session cookie for a link of the own page, which cannot send a header. It must not decide
 * about anything that the link itself changes.
 */
export const readPageSession = (headers: IncomingHttpHeaders): string | undefined =>
  isForeign(headers) ? undefined : readCookie(headers, '');

/** Returns the cookie of a sign-in that is on its way through a provider; undefined where there is none. */
export const readFlowCookie = (headers: IncomingHttpHeaders): string | undefined => readCookie(headers, FLOW);

function readCookie(headers: IncomingHttpHeaders, purpose: string): string | undefined {
  const names = [NAME, ...(isLoopback(headers) ? [NAME_ON_LOOPBACK] : [])].map((name) => name + purpose);
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [name = '', value = ''] = pair.trim().split('=', 2);
    if (names.includes(name) && value !== '') return value;
  }
  return undefined;
}

/** `Set-Cookie` of a new session; without `maxAgeS` the browser drops it when it is closed. */
export const sessionCookie = (req: IncomingMessage, secret: string, maxAgeS?: number): string =>
  cookie(req, '', secret, 'Strict', maxAgeS);

/** `Set-Cookie` of a sign-in through a provider. `Lax`: the provider, another site, sends the browser back with it. */
export const flowCookie = (req: IncomingMessage, flow: string, maxAgeS: number): string =>
  cookie(req, FLOW, flow, 'Lax', maxAgeS);

function cookie(req: IncomingMessage, purpose: string, value: string, sameSite: string, maxAgeS?: number): string {
  const isPlain = isLoopback(req.headers) && (req.socket as Partial<TLSSocket>).encrypted !== true;
  const attributes = ['Path=/', 'HttpOnly', `SameSite=${sameSite}`];
  if (!isPlain) attributes.push('Secure');
  if (maxAgeS !== undefined) attributes.push(`Max-Age=${maxAgeS}`);
  return [`${isPlain ? NAME_ON_LOOPBACK : NAME}${purpose}=${value}`, ...attributes].join('; ');
}

/** `Set-Cookie` that removes the cookie. */
export const noSessionCookie = (req: IncomingMessage): string => sessionCookie(req, '', 0);
