// Sessions of browsers: a sign-in sets a cookie, and whatever ends the session removes it (wire contract section 12).
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, contract, type Endpoint, type ErrorCode, type Login, type LoginResult } from '@quarterdeck/core';
import {
  isCookieSession,
  isForeign,
  isPlainElsewhere,
  noSessionCookie,
  sessionCookie,
  wantsCookie,
} from '@quarterdeck/express/parts';

/** Refusals after which a session never works again. */
const ENDED: readonly string[] = ['credential_invalid', 'session_expired'] satisfies ErrorCode[];

/**
 * Refuses sign-ins with a cookie before the password is read.
 *
 * @throws AppError `forbidden` for a page of another origin, which would sign its visitors in as somebody else, and for
 *   a page whose browser would not keep the cookie
 */
export function checkBrowserSignIn(endpoint: Endpoint, { headers }: IncomingMessage): void {
  if (endpoint !== contract.user.login || !wantsCookie(headers)) return;
  if (isForeign(headers)) throw new AppError('forbidden', { message: 'Pages of other origins may not sign in.' });
  if (isPlainElsewhere(headers)) {
    throw new AppError('forbidden', { message: 'Browsers keep a session only over TLS. Open this page with https.' });
  }
}

/** Moves the token of a sign-in from the answer into a cookie, where the caller asks for it. Returns what is sent. */
export function withCookie(
  endpoint: Endpoint,
  input: unknown,
  data: unknown,
  req: IncomingMessage,
  res: ServerResponse,
  nowMs: number,
): unknown {
  if (endpoint === contract.user.logout && isCookieSession(req.headers)) {
    res.setHeader('Set-Cookie', noSessionCookie(req));
  }
  if (endpoint !== contract.user.login || !wantsCookie(req.headers)) return data;
  const result = data as LoginResult;
  const { remember } = (input as { readonly body: Login }).body;
  const maxAgeS = remember === true ? Math.floor((result.expire - nowMs) / 1000) : undefined;
  res.setHeader('Set-Cookie', sessionCookie(req, result['edge-token'] ?? '', { maxAgeS }));
  return { ...result, 'edge-token': undefined, token: undefined };
}

/** Removes the cookie of a session that has ended. */
export function dropEndedCookie(thrown: unknown, req: IncomingMessage, res: ServerResponse): void {
  if (!(thrown instanceof AppError) || !ENDED.includes(thrown.code) || res.headersSent) return;
  if (isCookieSession(req.headers)) res.setHeader('Set-Cookie', noSessionCookie(req));
}
