// The routes outside the contract, each with its reason.
import { AppError } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { type RequestHandler, Router } from 'express';
import type { Deps } from '../deps.ts';
import { DOCS_CSP, docsPage } from './docs.ts';
import { type EventDeps, sendEvents } from './events-route.ts';
import { type ExportDeps, sendExport, sendLineExport } from './export-route.ts';
import { type MetricsDeps, sendMetrics } from './metrics-route.ts';
import { openApiBytes } from './openapi.ts';
import { type OtlpDeps, receiveOtlpLogs } from './otlp-route.ts';
import { EVENTS, EXPORT, LINE_EXPORT, METRICS, OTLP_LOGS } from './raw-endpoints.ts';
import { refuseMethod } from './refuse-method.ts';
import { sendJson, sendText, setHead } from './send.ts';

/** Dependencies of the hand-written routes. */
export interface RawDeps extends Pick<Deps, 'db' | 'events' | 'now'>, EventDeps, ExportDeps, OtlpDeps, MetricsDeps {
  /** Halves of the API that this process answers. */
  readonly serve: ReadonlySet<'admin' | 'console'>;
  /** Aborted when the server begins to stop: event streams end, and the server is no longer ready. */
  readonly stopping: AbortSignal;
}

/** Health, documentation, metrics, the event stream and OpenTelemetry's logs. */
export function rawRoutes(deps: RawDeps): Router {
  const router = Router({ caseSensitive: true });
  // Outside the contract: probes get an answer without a credential and without a database.
  router.get('/healthz', (req, res) => sendJson(req, res, 200, { status: 0 }));
  router.get('/readyz', async (req, res) => {
    await ready(deps.db, deps.stopping);
    sendJson(req, res, 200, { status: 0 });
  });
  // Outside the contract: a document about the contract has no envelope.
  router.get('/openapi.json', (req, res) => sendText(req, res, 200, openApiBytes()));
  // Outside the contract: a page for people.
  router.get('/docs', (req, res) => {
    const page = docsPage();
    setHead(res, 200, 'text/html; charset=utf-8');
    res.setHeader('Content-Security-Policy', DOCS_CSP);
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.setHeader('Content-Length', Buffer.byteLength(page));
    res.end(req.method === 'HEAD' ? undefined : page);
  });
  router.all(['/healthz', '/readyz', '/openapi.json', '/docs'], refuseMethod(['GET']));
  const get = (path: string, handler: RequestHandler) =>
    router
      .route(path)
      .get(handler)
      .all(refuseMethod(['GET']));
  get(METRICS.path, (req, res) => sendMetrics(deps, req, res));
  if (deps.serve.has('admin')) {
    get(EVENTS.path, (req, res) => sendEvents(deps, req, res));
    router
      .route(OTLP_LOGS.path)
      .post((req, res) => receiveOtlpLogs(deps, req, res))
      .all(refuseMethod(['POST']));
  }
  return router;
}

async function ready(db: Database, stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) throw new AppError('shutting_down');
  await db.ping();
}

/** The exports. Mount them before the contract, where their paths would match an id. */
export function exportRoute(deps: RawDeps): Router {
  const router = Router({ caseSensitive: true });
  if (!deps.serve.has('admin')) return router;
  const exports = [
    { path: EXPORT.path, send: sendExport },
    { path: LINE_EXPORT.path, send: sendLineExport },
  ];
  for (const { path, send } of exports) {
    router
      .route(path)
      .get((req, res) => send(deps, req, res))
      .all(refuseMethod(['GET']));
  }
  return router;
}
