// The order of the middleware on one screen. Nothing here knows what the API does.
import type { RequestListener } from 'node:http';
import { AppError, type Endpoint } from '@quarterdeck/core';
import express, { type ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { alwaysAnswered } from './http/always-answered.ts';
import { findAddress } from './http/caller.ts';
import type { ProxySettings } from './http/client-address.ts';
import { compat } from './http/compat.ts';
import { createRefuse } from './http/error-handler.ts';
import { mount, type Pipeline, type Services } from './http/mount.ts';
import { exportRoute, type RawDeps, rawRoutes } from './http/raw.ts';
import { requestId } from './http/request-id.ts';
import { requestLine } from './http/request-line.ts';
import { requestLog } from './http/request-log.ts';
import { requireHost } from './http/require-host.ts';
import { inOrder, type Step } from './http/steps.ts';
import { strictTransport } from './http/tls.ts';
import type { WriteLimit } from './http/write-limit.ts';

/** Parts of the app. */
export interface AppParts extends RawDeps {
  readonly services: Services;
  readonly writeLimit: WriteLimit;
  readonly log: Logger;
  readonly checkAnswers?: boolean;
  readonly proxies: ProxySettings;
  /** The HTTP port speaks TLS itself. */
  readonly withTls: boolean;
}

/** The half of the API that an endpoint belongs to. */
const halfOf = (endpoint: Endpoint) => (endpoint.path.startsWith('/api/agents') ? 'console' : 'admin');

/** Creates the HTTP application; `listen` gives it a port. */
export function createApp(parts: AppParts): RequestListener {
  const pipeline: Pipeline = {
    identify: parts.identify,
    now: parts.now,
    serves: (endpoint) => parts.serve.has(halfOf(endpoint)),
    onDenied: parts.onDenied,
    writeLimit: parts.writeLimit,
    checkAnswers: parts.checkAnswers ?? false,
  };
  const first = inOrder(
    closeWhileStopping(parts.stopping),
    requestId,
    findAddress(parts.proxies),
    requestLog(parts.log),
    strictTransport(parts.withTls),
    requestLine,
    requireHost,
    compat,
    alwaysAnswered,
  );
  const refuse = createRefuse(parts.log, parts.now);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', 'simple');
  app.use((req, res, next) => {
    first(req, res);
    next();
  });
  app.use(exportRoute(parts));
  app.use(mount(parts.services, pipeline));
  app.use(rawRoutes(parts));
  app.use(() => {
    throw new AppError('unknown_path');
  });
  const refuseError: ErrorRequestHandler = (error, req, res, _next) => refuse(error, req, res);
  app.use(refuseError);
  return app;
}

/** Closes the connection of each answer while the server stops, so that clients reconnect elsewhere. */
function closeWhileStopping(stopping: AbortSignal): Step {
  return (_req, res) => {
    if (stopping.aborted) res.setHeader('Connection', 'close');
  };
}
