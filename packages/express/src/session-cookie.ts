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

const LOOPBACK = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;
/** Headers of which every proxy adds one, unless it is set up badly. */
const OF_PROXIES = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** True where a browser asks its own host, without a proxy between them, which might speak TLS to it. */
export const isLoopback = (headers: IncomingHttpHeaders): boolean =>
  LOOPBACK.test(headers.host ?? '') && OF_PROXIES.every((name) => headers[name] === undefined);

/** Names under which a session counts, the safer one first. */
const namesFor = (headers: IncomingHttpHeaders): string[] => (isLoopback(headers) ? [NAME, NAME_ON_LOOPBACK] : [NAME]);

/** Reports whether a request wants its session in a cookie. */
export const wantsCookie = (headers: IncomingHttpHeaders): boolean => headers[HEADER] === 'cookie';

/** Reports whether a request may come from a page of another origin. A program sends no `Sec-Fetch-Site`. */
export function isForeign(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin';
}

/** Reports whether the page of a POST came over plain HTTP from another host: its browser keeps no session cookie. */
export function isPlainElsewhere({ origin = '' }: IncomingHttpHeaders): boolean {
  return origin.startsWith('http://') && !LOOPBACK.test(origin.slice('http://'.length));
}

/** Returns the cookies of some names, in their order. */
function cookiesOf(headers: IncomingHttpHeaders, names: readonly string[]): { name: string; secret: string }[] {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('=', 2));
  return names.flatMap((name) => {
    const [, secret = ''] = pairs.find(([own, value]) => own === name && value !== '') ?? [];
    return secret === '' ? [] : [{ name, secret }];
  });
}

/** Returns the session cookies of a request that count. */
const sessionCookies = (headers: IncomingHttpHeaders) =>
  !wantsCookie(headers) || isForeign(headers) ? [] : cookiesOf(headers, namesFor(headers));

/**
 * Returns the secret of the session cookie for a link of the own page, which cannot send a header. It must not decide
 * about anything that the link itself changes.
 */
export const readPageSession = (headers: IncomingHttpHeaders): string | undefined =>
  isForeign(headers) ? undefined : cookiesOf(headers, namesFor(headers))[0]?.secret;

/** Returns the cookie of a sign-in that is on its way through a provider; undefined where there is none. */
export const readFlowCookie = (headers: IncomingHttpHeaders): string | undefined =>
  cookiesOf(headers, [NAME + FLOW, NAME_ON_LOOPBACK + FLOW])[0]?.secret;

/** Returns the secret of the session cookie; undefined where there is none, or where it does not count. */
export const readSessionCookie = (headers: IncomingHttpHeaders): string | undefined =>
  sessionCookies(headers)[0]?.secret;

/** `Set-Cookie` of a new session; without `maxAgeS` the browser drops it when it is closed. */
export function sessionCookie(req: IncomingMessage, secret: string, maxAgeS?: number): string {
  // A proxy may call this server by a loopback name: the page has the address that its browser knows.
  const { origin = 'http://localhost' } = req.headers;
  const isPlain = isLoopback(req.headers) && origin.startsWith('http://') && !isEncrypted(req);
  return cookie(isPlain ? NAME_ON_LOOPBACK : NAME, secret, maxAgeS);
}

/** `Set-Cookie` of a session at the end of a redirect. `isPlain`: the address of the server is HTTP on the own host. */
export const redirectCookie = (secret: string, isPlain: boolean): string =>
  cookie(isPlain ? NAME_ON_LOOPBACK : NAME, secret, undefined);

/** `Set-Cookie` of a sign-in through a provider. `Lax`: the provider, another site, sends the browser back with it. */
export const flowCookie = (flow: string, maxAgeS: number, isPlain: boolean): string =>
  cookie((isPlain ? NAME_ON_LOOPBACK : NAME) + FLOW, flow, maxAgeS, 'Lax');

/** `Set-Cookie` that removes the session cookies of a request. */
export const noSessionCookie = ({ headers }: IncomingMessage): string[] =>
  sessionCookies(headers).map(({ name }) => cookie(name, '', 0));

const isEncrypted = ({ socket }: IncomingMessage): boolean => (socket as Partial<TLSSocket>).encrypted === true;

function cookie(name: string, value: string, maxAgeS: number | undefined, sameSite = 'Strict'): string {
  const attributes = ['Path=/', 'HttpOnly', `SameSite=${sameSite}`];
  if (name.startsWith(NAME)) attributes.push('Secure');
  if (maxAgeS !== undefined) attributes.push(`Max-Age=${maxAgeS}`);
  return [`${name}=${value}`, ...attributes].join('; ');
}
