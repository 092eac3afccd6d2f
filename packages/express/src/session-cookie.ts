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

/** Names of a cookie that counts, the safer one first. */
const namesFor = (headers: IncomingHttpHeaders, purpose: string): string[] =>
  [NAME, ...(isLoopback(headers) ? [NAME_ON_LOOPBACK] : [])].map((name) => name + purpose);

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

interface Cookie {
  readonly name: string;
  readonly value: string;
}

/** The cookies of a purpose that count, the safer one first. */
function cookiesOf(headers: IncomingHttpHeaders, purpose: string): Cookie[] {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('=', 2));
  return namesFor(headers, purpose).flatMap((name) => {
    const [, value = ''] = pairs.find(([own, text]) => own === name && text !== '') ?? [];
    return value === '' ? [] : [{ name, value }];
  });
}

/** Returns the secret of the session cookie; undefined where there is none, or where it does not count. */
export const readSessionCookie = (headers: IncomingHttpHeaders): string | undefined =>
  wantsCookie(headers) ? readPageSession(headers) : undefined;

/**
 * Returns the secret of the session cookie for a link of the own page, which cannot send a header. It must not decide
 * about anything that the link itself changes.
 */
export const readPageSession = (headers: IncomingHttpHeaders): string | undefined =>
  isForeign(headers) ? undefined : cookiesOf(headers, '')[0]?.value;

/** Returns the cookie of a sign-in that is on its way through a provider; undefined where there is none. */
export const readFlowCookie = (headers: IncomingHttpHeaders): string | undefined => cookiesOf(headers, FLOW)[0]?.value;

/** Options of a new cookie. */
export interface CookieOptions {
  /** Seconds; without it the browser drops the cookie when it is closed. */
  readonly maxAgeS?: number | undefined;
  /** Address of this server as the browser knows it; by default the origin of the page that sent the request. */
  readonly address?: string | undefined;
}

/** `Set-Cookie` of a new session. */
export const sessionCookie = (req: IncomingMessage, secret: string, options: CookieOptions = {}): string =>
  cookie(nameOfNew(req, options), secret, 'Strict', options.maxAgeS);

/** `Set-Cookie` of a sign-in through a provider. `Lax`: the provider, another site, sends the browser back with it. */
export const flowCookie = (req: IncomingMessage, flow: string, options: CookieOptions): string =>
  cookie(nameOfNew(req, options) + FLOW, flow, 'Lax', options.maxAgeS);

/** `Set-Cookie` that removes the session cookies of a request. */
export const noSessionCookie = ({ headers }: IncomingMessage): string[] =>
  !wantsCookie(headers) || isForeign(headers)
    ? []
    : cookiesOf(headers, '').map(({ name }) => cookie(name, '', 'Strict', 0));

function nameOfNew({ headers, socket }: IncomingMessage, { address = headers.origin }: CookieOptions): string {
  // A proxy may call this server by a loopback name: the browser knows the real one.
  const isPlain = address?.startsWith('http://') ?? true;
  const isEncrypted = (socket as Partial<TLSSocket>).encrypted === true;
  return isLoopback(headers) && isPlain && !isEncrypted ? NAME_ON_LOOPBACK : NAME;
}

function cookie(name: string, value: string, sameSite: 'Strict' | 'Lax', maxAgeS: number | undefined): string {
  const attributes = ['Path=/', 'HttpOnly', `SameSite=${sameSite}`];
  if (name.startsWith(NAME)) attributes.push('Secure');
  if (maxAgeS !== undefined) attributes.push(`Max-Age=${maxAgeS}`);
  return [`${name}=${value}`, ...attributes].join('; ');
}
