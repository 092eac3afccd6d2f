// The routes outside the contract, each with its reason.
import { type Actor, AppError, can, EVENT_TYPES, EventQuery, type EventType } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { type Request, type Response, Router } from 'express';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { authorize } from './authorize.ts';
import { addressOf } from './caller.ts';
import { DOCS_CSP, docsPage } from './docs.ts';
import { streamEvents } from './event-stream.ts';
import type { Identify } from './identify.ts';
import { openApiDocument } from './openapi.ts';
import { OTLP_LOGS_PATH, type OtlpDeps, receiveOtlpLogs } from './otlp-route.ts';
import { parseInput } from './parse.ts';
import { refuseMethod } from './refuse-method.ts';
import { sendJson } from './send.ts';

/** What the hand-written routes need. */
export interface RawDeps extends Pick<Deps, 'db' | 'events' | 'now'>, OtlpDeps {
  readonly identify: Identify;
  /** Which halves of the API this process answers. */
  readonly serve: ReadonlySet<'admin' | 'console'>;
  /** Aborted when the server begins to stop: event streams end, and the server is no longer ready. */
  readonly stopping: AbortSignal;
}

/** Health, documentation, the event stream and OpenTelemetry's logs. */
export function rawRoutes(deps: RawDeps): Router {
  const router = Router();
  // Not in the contract: they are for probes and must answer without a credential and without a database.
  router.get('/healthz', (req, res) => sendJson(req, res, 200, { status: 0 }));
  router.get('/readyz', async (req, res) => {
    await ready(deps.db, deps.stopping);
    sendJson(req, res, 200, { status: 0 });
  });
  // Not in the contract: its body is a document about the contract, without an envelope.
  router.get('/openapi.json', (req, res) => sendJson(req, res, 200, openApiDocument()));
  // Not in the contract: a page for people.
  router.get('/docs', (_req, res) => {
    res.setHeader('Content-Security-Policy', DOCS_CSP);
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.type('html').send(docsPage());
  });
  // Not in the contract: it answers with a stream that does not end.
  if (deps.serve.has('admin')) {
    router
      .route('/admin-api/events')
      .get((req, res) => events(deps, req, res))
      .all(refuseMethod(['GET']));
  }
  // Not in the contract: OpenTelemetry says what it takes and answers.
  if (deps.serve.has('admin')) {
    router
      .route(OTLP_LOGS_PATH)
      .post((req, res) => receiveOtlpLogs(deps, req, res))
      .all(refuseMethod(['POST']));
  }
  router.all(['/healthz', '/readyz', '/openapi.json', '/docs'], refuseMethod(['GET']));
  return router;
}

async function ready(db: Database, stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) throw new AppError('shutting_down');
  await db.ping();
}

/** What comes before the dot of an event's type -> the permission that shows it. */
const PERMISSION_FOR = { errlog: 'errlog:read', agent: 'agent:read', token: 'api_token:manage' } as const;
type EventNoun = keyof typeof PERMISSION_FOR;

const shows = (actor: Actor | null, type: EventType): boolean =>
  type === 'resync' || can(actor, PERMISSION_FOR[type.split('.')[0] as EventNoun]);

async function events(deps: RawDeps, req: Request, res: Response): Promise<void> {
  // Read once: a connection that has ended has no address any more.
  const address = addressOf(req);
  const admit = async () => {
    const actor = await deps.identify(req.headers, address);
    authorize('signed_in', actor);
    return actor;
  };
  const actor = await admit();
  const { query } = parseInput(
    { method: 'GET', path: '/admin-api/events', summary: '', access: 'signed_in', query: EventQuery, data: EventQuery },
    { params: {}, query: req.query, body: undefined },
  ) as { query: z.infer<typeof EventQuery> };
  const wanted = wantedTypes(query.types);
  const shown = wanted.filter((type) => shows(actor, type));
  await streamEvents(deps, req, res, new Set(shown), async () => {
    const later = await admit();
    return wanted.filter((type) => shows(later, type)).join() === shown.join();
  });
}

function wantedTypes(list: string | undefined): EventType[] {
  const names = list === undefined ? EVENT_TYPES : list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !EVENT_TYPES.includes(name as EventType));
  if (unknown !== undefined) {
    const message = `query.types: there is no event type ${JSON.stringify(unknown)}; there are ${EVENT_TYPES.join(', ')}`;
    throw new AppError('validation_failed', { message, fields: [{ path: 'query.types', message }] });
  }
  return names as EventType[];
}
