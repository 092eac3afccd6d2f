// The order of things on one screen. Nothing here knows what the API does.
import { AppError, type Endpoint } from '@quarterdeck/core';
import express, { type Express } from 'express';
import type { Logger } from 'pino';
import { compat } from './http/compat.ts';
import { errorHandler } from './http/error-handler.ts';
import { mount, type Pipeline, type Services } from './http/mount.ts';
import { exportRoute, type RawDeps, rawRoutes } from './http/raw.ts';
import { requestId } from './http/request-id.ts';
import { requestLog } from './http/request-log.ts';
import { requireHost } from './http/require-host.ts';
import { inOrder, type Step } from './http/steps.ts';

/** What the app is made of. */
export interface AppParts extends RawDeps {
  readonly services: Services;
  readonly log: Logger;
  readonly checkAnswers?: boolean;
}

/** Which half of the API an endpoint belongs to. */
const halfOf = (endpoint: Endpoint) => (endpoint.path.startsWith('/api/agents') ? 'console' : 'admin');

/** The HTTP application; it listens nowhere yet. */
export function createApp(parts: AppParts): Express {
  const pipeline: Pipeline = {
    identify: parts.identify,
    now: parts.now,
    serves: (endpoint) => parts.serve.has(halfOf(endpoint)),
    onDenied: parts.onDenied,
    checkAnswers: parts.checkAnswers ?? false,
  };
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(inOrder(lastAnswer(parts.stopping), requestId, requestLog(parts.log), requireHost, compat));
  app.use(exportRoute(parts));
  app.use(mount(parts.services, pipeline));
  app.use(rawRoutes(parts));
  app.use(() => {
    throw new AppError('unknown_path');
  });
  app.use(errorHandler(parts.log, parts.now));
  return app;
}

/** While the server stops, each answer tells its client to come back on another connection. */
function lastAnswer(stopping: AbortSignal): Step {
  return (_req, res) => {
    if (stopping.aborted) res.setHeader('Connection', 'close');
  };
}
