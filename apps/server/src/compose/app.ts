// The order of the middleware on one screen. Nothing here knows what the API does.
import type { RequestListener } from 'node:http';
import { AppError, type Endpoint } from '@quarterdeck/core';
import { type Incoming, inOrder, pathOf, requestId, type Step } from '@quarterdeck/express/parts';
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import type { Admission } from '../http/admission/admission.ts';
import { findAddress } from '../http/caller.ts';
import type { ProxySettings } from '../http/client-address.ts';
import { compat } from '../http/compat.ts';
import { noteRefusal, restrictionOf } from '../http/connection-guard.ts';
import { type ContractDeps, contractRoutes } from '../http/contract-routes.ts';
import { cors, preflight } from '../http/cors.ts';
import { METRICS } from '../http/endpoints/raw-endpoints.ts';
import { refuseAndLog } from '../http/error-handler.ts';
import { type OidcDeps, oidcRoutes } from '../http/oidc-routes.ts';
import { pageRoutes } from '../http/page/page-routes.ts';
import { exportRoute, type RawDeps, rawRoutes, toolsRoute } from '../http/raw.ts';
import { limitHead, requestLine, requireChunks, requireHost } from '../http/request-head.ts';
import { requestLog } from '../http/request-log.ts';
import { strictTransport } from '../http/tls.ts';
import type { TraceRequest } from '../telemetry/telemetry.ts';

const ALWAYS_ANSWERED: ReadonlySet<string> = new Set(['/healthz', '/readyz', METRICS.path, '/admin-api/user/login']);

/** Refuses other requests of connections with a reserved slot, and closes connections that must not be kept. */
const alwaysAnswered: Step = (req, res) => {
  const { isReserved, mustClose } = restrictionOf(req);
  if (mustClose) res.setHeader('Connection', 'close');
  if (!isReserved || ALWAYS_ANSWERED.has(pathOf(req).replace(/\/$/, ''))) return;
  noteRefusal(req);
  throw new AppError('overloaded');
};

export interface AppParts extends RawDeps, ContractDeps, OidcDeps {
  readonly log: Logger;
  /** Records each request as a trace, where traces are sent. */
  readonly traceRequest: TraceRequest | undefined;
  /** Measures each request. */
  readonly measure: Step;
  /** Refuses requests of which there are too many at once. */
  readonly admission: Pick<Admission, 'step'>;
  readonly proxies: ProxySettings;
  /** Origins whose scripts may read answers in a browser. */
  readonly corsOrigins: ReadonlySet<string>;
  /** Requests in a second beyond which the access log holds a sample; undefined = no access log. */
  readonly accessLogRate: number | undefined;
  /** The HTTP port speaks TLS itself. */
  readonly withTls: boolean;
}

/** The half of the API that an endpoint belongs to. */
const halfOf = (endpoint: Endpoint) => (endpoint.path.startsWith('/api/agents') ? 'console' : 'admin');

/** Creates the HTTP application; `listen` gives it a port. */
export function createApp(parts: AppParts): RequestListener {
  const first = inOrder(
    parts.measure,
    closeWhileDraining(parts.draining),

    requestId,
    cors(parts.corsOrigins),
    findAddress(parts.proxies),
    requestLog(parts.log, parts.accessLogRate),
    strictTransport(parts.withTls),
    limitHead,
    requireChunks,
    requestLine,
    requireHost,
    compat,
    alwaysAnswered,
    parts.admission.step,
  );
  const refuse = refuseAndLog(parts.log, parts.now);
  const app = express();
  // Before Express, which takes longer to begin than a refusal costs.
  const begin: RequestListener = (req, res) => {
    const incoming = req as Incoming;
    try {
      first(incoming, res);
    } catch (error) {
      return refuse(error, incoming, res);
    }
    app(req, res);
  };
  const { traceRequest } = parts;
  const serve: RequestListener =
    traceRequest === undefined
      ? begin
      : (req, res) => traceRequest(req as Request, res as Response, () => begin(req, res));
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', 'simple');
  if (parts.corsOrigins.size > 0) app.use(preflight(parts.corsOrigins));
  exportRoute(parts, app.router);
  contractRoutes(parts, (endpoint) => parts.serve.has(halfOf(endpoint)), app.router);
  app.use(rawRoutes(parts));
  app.use(toolsRoute(parts, serve));
  if (parts.serve.has('admin')) app.use(oidcRoutes(parts));
  if (parts.page !== undefined) app.use(pageRoutes(parts.page));
  app.use(() => {
    throw new AppError('unknown_path');
  });
  const refuseError: ErrorRequestHandler = (error, req, res, _next) => refuse(error, req, res);
  app.use(refuseError);
  return serve;
}

/** Closes the connection of each answer before the server stops, so that clients reconnect elsewhere. */
function closeWhileDraining(draining: AbortSignal): Step {
  return (_req, res) => {
    if (draining.aborted) res.setHeader('Connection', 'close');
  };
}
