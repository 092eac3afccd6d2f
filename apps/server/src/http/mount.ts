// Builds the routes of the contract. `answer` is the whole life of a request: it identifies the caller, authorizes,
// parses, calls the service and wraps the result.
import {
  type Actor,
  type ActorFor,
  AppError,
  type Contract,
  contract,
  DONE,
  type Endpoint,
  type Method,
  type Page,
  type Service,
  success,
} from '@quarterdeck/core';
import { type Request, type Response, Router } from 'express';
import type { CallContext } from '../call-context.ts';
import { authorize } from './authorize.ts';
import { readBody } from './body.ts';
import { addressOf, callerOf } from './caller.ts';
import { noteCredential } from './connection-guard.ts';
import { type OnDenied, reportDenial } from './denied.ts';
import type { Identify } from './identify.ts';
import { parseInput } from './parse.ts';
import { refuseMethod } from './refuse-method.ts';
import { sendJson } from './send.ts';
import type { WriteLimit } from './write-limit.ts';

/** A service per noun of the contract. */
export type Services = { [N in keyof typeof contract]: Service<(typeof contract)[N], CallContext> };

/** Dependencies of the pipeline. */
export interface Pipeline {
  readonly identify: Identify;
  readonly now: () => number;
  /** True for the endpoints that this process answers. */
  readonly serves: (endpoint: Endpoint) => boolean;
  readonly onDenied: OnDenied;
  readonly writeLimit: WriteLimit;
  /** Checks every answer against its schema; for tests. */
  readonly checkAnswers?: boolean;
}

type ServiceMethod = (call: Record<string, unknown>) => Promise<unknown>;

const ROUTES = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const satisfies Record<Method, string>;

/** One HTTP method of one path. */
interface Handler {
  readonly method: Method;
  readonly endpoint: Endpoint;
  readonly service: ServiceMethod;
}

/**
 * Routes for every endpoint of the contract, path by path in the order of the contract. A path refuses the methods it
 * lacks, so a request never falls through from a literal path to a later one with a placeholder.
 */
export function mount(services: Services, pipeline: Pipeline): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, handlers] of handlersByPath(services, pipeline)) {
    const route = router.route(path);
    for (const handler of handlers) {
      route[ROUTES[handler.method]]((req, res) => answer(handler, pipeline, req, res));
    }
    route.all(refuseMethod(handlers.map(({ method }) => method)));
  }
  return router;
}

function handlersByPath(services: Services, pipeline: Pipeline): Map<string, Handler[]> {
  const paths = new Map<string, Handler[]>();
  for (const [noun, table] of Object.entries(contract as Contract)) {
    for (const [verb, endpoint] of Object.entries(table)) {
      if (!pipeline.serves(endpoint)) continue;
      const service = (services as unknown as Record<string, Record<string, ServiceMethod>>)[noun]?.[verb];
      if (service === undefined) throw new Error(`no service for ${noun}.${verb}`);
      const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
      const handlers = [endpoint.method, endpoint.alsoMethod]
        .filter((method) => method !== undefined)
        .map((method) => ({ method, endpoint, service }));
      paths.set(path, [...(paths.get(path) ?? []), ...handlers]);
    }
  }
  return paths;
}

async function answer({ endpoint, service }: Handler, pipeline: Pipeline, req: Request, res: Response): Promise<void> {
  let actor: Actor | null = null;
  try {
    if (endpoint.access !== 'public') actor = await pipeline.identify(req.headers, addressOf(req), req.id);
    if (actor !== null) noteCredential(req);
    authorize(endpoint.access, actor);
    pipeline.writeLimit.count(endpoint, req.method, actor, res);
    const body = endpoint.body === undefined ? undefined : await readBody(req, endpoint);
    const input = parseInput(endpoint, { params: req.params, query: req.query, body });
    const context = { actor: actor as ActorFor<'public'>, request: callerOf(req), left: () => signalOfEnd(res) };
    const result = await service({ ...input, ...context });
    if (endpoint.bareList) res.setHeader('X-Total-Count', (result as Page<unknown>).meta.count);
    const data = endpoint.bareList ? (result as Page<unknown>).data : result;
    if (pipeline.checkAnswers) endpoint.data.parse(data);
    sendJson(req, res, 200, data === undefined ? DONE : success(data, pipeline.now(), endpoint.msg));
  } catch (error) {
    reportDenial(pipeline.onDenied, error, actor, endpoint.path, req);
    throw error;
  }
}

/** Returns a signal that is aborted when an answer ends, also because its client has gone. */
function signalOfEnd(res: Response): AbortSignal {
  const controller = new AbortController();
  // An input error, because nothing is wrong with the server; nobody receives it.
  const abort = () => controller.abort(new AppError('request_timeout', { message: 'The client has left.' }));
  if (res.destroyed) abort();
  else res.once('close', abort);
  return controller.signal;
}
