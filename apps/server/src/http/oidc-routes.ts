// The routes of the sign-in with a provider. Outside the contract: browsers and providers open them, by the rules of
// OpenID Connect.
import { AppError, DONE, type Endpoint, parseInput, type UserActor } from '@quarterdeck/core';
import {
  flowCookie,
  isLoopback,
  mediaType,
  readBytes,
  readFlowCookie,
  readPageSession,
  sendJson,
  sessionCookie,
  setHead,
} from '@quarterdeck/express/parts';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Logger } from 'pino';
import { FLOW_MAX_MS, type FlowPurpose, safePath } from '../features/single-sign-on/flow.ts';
import type { SingleSignOn } from '../features/single-sign-on/single-sign-on.ts';
import { checkNames } from './admit.ts';
import { addressOf, callerOf, clientOf } from './caller.ts';
import { OIDC_CALLBACK, OIDC_LOGOUT, OIDC_SIGN_OUT, OIDC_START } from './endpoints/raw-endpoints.ts';
import { addRoute } from './endpoints/route-of.ts';
import type { Identify } from './identify.ts';
import { escapeHtml, rootOf, sendTextPage } from './page/text-page.ts';

export interface OidcDeps {
  readonly singleSignOn: SingleSignOn;
  readonly identify: Identify;
  /** Address by which people reach this server; undefined = only those on its host do. */
  readonly publicUrl: string | undefined;
  readonly log: Logger;
}

const FORM = 'application/x-www-form-urlencoded';

export function oidcRoutes(deps: OidcDeps): Router {
  const router = Router({ caseSensitive: true });
  addRoute(
    router,
    OIDC_START,
    forPeople(deps, (req, res) => start(deps, req, res)),
  );
  addRoute(
    router,
    OIDC_CALLBACK,
    forPeople(deps, (req, res) => finish(deps, req, res)),
  );
  addRoute(
    router,
    OIDC_SIGN_OUT,
    forPeople(deps, (req, res) => signOut(deps, req, res)),
  );
  addRoute(router, OIDC_LOGOUT, (req, res) => receiveLogout(deps, req, res));
  return router;
}

const providerIn = (req: Request): string => String(req.params['provider']);

/** The query of a request. @throws AppError `validation_failed` */
const inputOf = (endpoint: Endpoint, { params, query }: Request): unknown =>
  parseInput(endpoint, { params, query, body: undefined }, () => undefined)['query'];

/** Address of this server as browsers have it: a header of the request decides on the own host alone. */
function baseUrl({ publicUrl }: OidcDeps, req: Request): string {
  if (publicUrl !== undefined) return publicUrl;
  if (isLoopback(req.headers)) return `${req.secure ? 'https' : 'http'}://${req.headers.host}`;
  throw new AppError('bad_request', { message: 'The server does not know its address: set QUARTERDECK_PUBLIC_URL.' });
}

const callbackOf = (deps: OidcDeps, req: Request): string =>
  `${baseUrl(deps, req)}${OIDC_CALLBACK.path.replace('{provider}', providerIn(req))}`;

async function start(deps: OidcDeps, req: Request, res: Response): Promise<void> {
  checkNames(OIDC_START, req, res);
  const { to, purpose } = inputOf(OIDC_START, req) as { readonly to?: string; readonly purpose: FlowPurpose };
  const actor = purpose === 'sign_in' ? undefined : await personOf(deps, req);
  const beginning = { provider: providerIn(req), purpose, to: safePath(to ?? '/'), redirectUri: callbackOf(deps, req) };
  const { url, sealed } = await deps.singleSignOn.begin({ ...beginning, actor });
  redirect(res, url.href, [flowCookie(req, sealed, { maxAgeS: FLOW_MAX_MS / 1000, address: baseUrl(deps, req) })]);
}

/** The person of the session that the page of this server has. */
async function personOf({ identify }: OidcDeps, req: Request): Promise<UserActor | undefined> {
  const session = readPageSession(req.headers);
  if (session === undefined) return undefined;
  const actor = await identify({ 'edge-token': session, 'user-agent': clientOf(req.headers) }, addressOf(req), req.id);
  return actor?.kind === 'user' ? actor : undefined;
}

async function finish(deps: OidcDeps, req: Request, res: Response): Promise<void> {
  inputOf(OIDC_CALLBACK, req);
  const url = new URL(callbackOf(deps, req));
  url.search = new URL(req.url, 'http://localhost').search;
  const sealed = readFlowCookie(req.headers);
  // It works once, whatever the result is.
  const address = baseUrl(deps, req);
  const cookies = [flowCookie(req, '', { maxAgeS: 0, address })];
  res.setHeader('Set-Cookie', cookies);
  const answer = { provider: providerIn(req), url, sealed, request: callerOf(req) };
  const { to, login } = await deps.singleSignOn.finish(answer);
  if (login !== undefined) cookies.push(sessionCookie(req, login['edge-token'] ?? '', { address }));
  // The browser does not send a strict cookie after a redirect from another site. The page that it loads needs none,
  // and its requests are of the same site.
  redirect(res, `${address}${to}`, cookies);
}

async function signOut(deps: OidcDeps, req: Request, res: Response): Promise<void> {
  checkNames(OIDC_SIGN_OUT, req, res);
  const base = baseUrl(deps, req);
  redirect(res, (await deps.singleSignOn.signOutUrl(providerIn(req), base)) ?? `${base}/sign-in`);
}

function redirect(res: Response, location: string, cookies: readonly string[] = []): void {
  setHead(res, 303, 'text/plain; charset=utf-8');
  res.setHeader('Location', location);
  if (cookies.length > 0) res.setHeader('Set-Cookie', cookies);
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Content-Length', 0);
  res.end();
}

async function receiveLogout(deps: OidcDeps, req: Request, res: Response): Promise<void> {
  checkNames(OIDC_LOGOUT, req, res);
  if (mediaType(req) !== FORM) throw new AppError('unsupported_media_type');
  const body = await readBytes(req, OIDC_LOGOUT.bodyLimit ?? 0);
  const token = new URLSearchParams(body.toString('utf8')).get('logout_token');
  if (token === null) throw new AppError('bad_request', { message: 'The body has no logout_token.' });
  await deps.singleSignOn.receiveLogout(providerIn(req), token);
  sendJson(req, res, 200, DONE);
}

/** Answers refusals to browsers with a page. */
const forPeople =
  ({ log }: OidcDeps, handle: (req: Request, res: Response) => Promise<void>): RequestHandler =>
  async (req, res) => {
    try {
      await handle(req, res);
    } catch (error) {
      // The reason of a provider is of use to administrators. Its answers have no secrets: they refuse.
      if (error instanceof AppError && error.cause !== undefined) {
        log.warn({ provider: providerIn(req), code: error.code, reason: reasonOf(error.cause) }, 'sign-in failed');
      }
      if (!(error instanceof AppError) || req.accepts(['json', 'html']) !== 'html') throw error;
      const root = rootOf(req);
      const again = `<p><a href="${root}sign-in">Sign in</a></p>`;
      sendTextPage(req, res, error.status, 'You are not signed in', `<p>${escapeHtml(error.message)}</p>\n${again}`);
    }
  };

/** The messages of an error and its causes; never their other fields, which may hold tokens. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  const reported =
    'error' in error && typeof error.error === 'string' ? ` ${JSON.stringify(error.error.slice(0, 100))}` : '';
  const text = `${error.name}: ${error.message.slice(0, 200)}${code}${reported}`;
  return error.cause instanceof Error ? `${text}; ${reasonOf(error.cause)}` : text;
}
