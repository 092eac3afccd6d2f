// The routes outside the contract, each with its reason.
import type { RequestListener } from 'node:http';
import { AppError, success } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { DOCS_CSP } from '@quarterdeck/express/openapi';
import { refuseMethod, sendHtml, sendJson, sendText, setHead } from '@quarterdeck/express/parts';
import { Router } from 'express';
import { checkNames } from './admit.ts';
import { answerElastic, asksElastic, type BulkDeps, receiveBulk } from './bulk-route.ts';
import { type CallbackDeps, receiveCallback } from './callback-route.ts';
import { docsPage } from './docs.ts';
import {
  AUDIT_EXPORT,
  BULK,
  BULK_OF_INDEX,
  CALLBACK,
  EVENTS,
  EXPORT,
  LINE_EXPORT,
  LOKI_PUSH,
  MCP,
  METRICS,
  OPEN_ENDPOINTS,
  OTLP_LOGS,
  SENTRY_ENVELOPE,
  SENTRY_STORE,
} from './endpoints/raw-endpoints.ts';
import { addRoute } from './endpoints/route-of.ts';
import { type EventDeps, sendEvents } from './events-route.ts';
import { type ExportDeps, sendAuditExport, sendExport, sendLineExport } from './export-route.ts';
import { type LokiDeps, receiveLoki } from './loki-route.ts';
import { answerTools, type McpDeps } from './mcp-route.ts';
import { type MetricsDeps, sendMetrics } from './metrics-route.ts';
import { openApiBytes } from './openapi.ts';
import { type OtlpDeps, receiveOtlpLogs } from './otlp-route.ts';
import type { PageFiles } from './page/page-files.ts';
import { sendPage, wantsPage } from './page/page-routes.ts';
import { receiveSentry, type SentryDeps } from './sentry-route.ts';

/** Dependencies of the hand-written routes. */
export interface RawDeps
  extends EventDeps,
    ExportDeps,
    OtlpDeps,
    LokiDeps,
    BulkDeps,
    SentryDeps,
    MetricsDeps,
    McpDeps,
    CallbackDeps {
  readonly db: Database;
  /** The page for browsers; undefined where this process serves none. */
  readonly page: PageFiles | undefined;
  /** Halves of the API that this process answers. */
  readonly serve: ReadonlySet<'admin' | 'console'>;
  /** Aborted when the server is going to stop: it is no longer ready, and still answers. */
  readonly draining: AbortSignal;
  /** Aborted when the server stops: event streams end. */
  readonly stopping: AbortSignal;
}

const PLACES = { docs: '/docs', openapi: '/openapi.json', health: '/healthz', ready: '/readyz' };

/** Health, documentation, metrics, the event stream and OpenTelemetry's logs. */
export function rawRoutes(deps: RawDeps): Router {
  const router = Router({ caseSensitive: true });
  for (const { endpoint } of OPEN_ENDPOINTS) {
    router.get(endpoint.path, (req, res, next) => {
      checkNames(endpoint, req, res);
      next();
    });
  }
  // Outside the contract: probes get an answer without a credential and without a database.
  router.get('/healthz', (req, res) => sendJson(req, res, 200, { status: 0 }));
  router.get('/readyz', async (req, res) => {
    await ready(deps.db, deps.draining);
    sendJson(req, res, 200, { status: 0 });
  });
  // Outside the contract: a document about the contract has no envelope.
  router.get('/openapi.json', (req, res) => sendText(req, res, 200, openApiBytes(), { mayCompress: true }));
  // Outside the contract: a page for people.
  router.get('/docs', (req, res) => sendHtml(req, res, 200, docsPage(), DOCS_CSP));
  // Outside the contract: where a person or a program begins.
  router.get('/', (req, res) => {
    const isBrowser = wantsPage(req, res);
    if (asksElastic(req)) return answerElastic(req, res);
    if (!isBrowser) return sendJson(req, res, 200, success(PLACES, deps.now()));
    if (deps.page !== undefined) return sendPage(deps.page, req, res);
    setHead(res, 302, 'text/html; charset=utf-8');
    // Relative, for a proxy that serves this server below a path.
    res.setHeader('Location', './docs');
    res.setHeader('Content-Length', 0);
    res.end();
  });
  router.all(['/', '/healthz', '/readyz', '/openapi.json', '/docs'], refuseMethod(['GET']));
  addRoute(router, METRICS, (req, res) => sendMetrics(deps, req, res));
  if (!deps.serve.has('admin')) return router;
  addRoute(router, EVENTS, (req, res) => sendEvents(deps, req, res));
  addRoute(router, OTLP_LOGS, (req, res) => receiveOtlpLogs(deps, req, res));
  addRoute(router, LOKI_PUSH, (req, res) => receiveLoki(deps, req, res));
  addRoute(router, CALLBACK, (req, res) => receiveCallback(deps, req, res));
  for (const endpoint of [BULK, BULK_OF_INDEX]) {
    addRoute(router, endpoint, (req, res) => receiveBulk(deps, endpoint, req, res), ['POST', 'PUT']);
  }
  for (const endpoint of [SENTRY_ENVELOPE, SENTRY_STORE]) {
    addRoute(router, endpoint, (req, res) => receiveSentry(deps, endpoint, req, res));
  }
  return router;
}

async function ready(db: Database, draining: AbortSignal): Promise<void> {
  if (draining.aborted) throw new AppError('shutting_down');
  await db.ping();
}

/** Adds the exports to a router, before the contract, where their paths would match an id. */
export function exportRoute(deps: RawDeps, router: Router = Router({ caseSensitive: true })): Router {
  if (!deps.serve.has('admin')) return router;
  addRoute(router, EXPORT, (req, res) => sendExport(deps, req, res));
  addRoute(router, LINE_EXPORT, (req, res) => sendLineExport(deps, req, res));
  addRoute(router, AUDIT_EXPORT, (req, res) => sendAuditExport(deps, req, res));
  return router;
}

/** The tools for assistants, whose requests `app` answers. */
export function toolsRoute(deps: RawDeps, app: RequestListener): Router {
  const router = Router({ caseSensitive: true });
  if (deps.serve.has('admin')) addRoute(router, MCP, answerTools(deps, app));
  return router;
}
