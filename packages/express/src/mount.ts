// Builds the routes of a contract. `answer` is the whole life of a request: it identifies the caller, authorizes,
// parses, calls the service and wraps the result.
import type { ServerResponse } from 'node:http';
import {
  type Access,
  type Actor,
  type ActorFor,
  AppError,
  type Contract,
  can,
  type Deprecated,
  DONE,
  type Endpoint,
  IGNORED_HEADER,
  ignoredHeader,
  type Method,
  type Page,
  parseInput,
  type Service,
  success,
} from '@quarterdeck/core';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { authorizeFor } from './authorize.ts';
import { readJsonBody, readUnexpectedBody } from './body.ts';
import { type Versioning, versioningOf } from './entity-tag.ts';
import { sendEmpty, sendJson } from './send.ts';
import type { Incoming } from './steps.ts';

/** Context that every call of a service has besides its input and its actor. */
export interface CallContext<Caller> {
  /** The request, as `callerOf` describes it. */
  readonly request: Caller;
  /** Returns a signal that is aborted when the caller has gone. */
  readonly left: () => AbortSignal;
  /** Set where the endpoint is `versioned`. */
  readonly version?: Versioning | undefined;
}

/** A service per noun of a contract. */
export type ServicesOf<C extends Contract, Context> = { readonly [N in keyof C]: Service<C[N], Context> };

/** Dependencies of the pipeline. */
export interface Pipeline<Caller> {
  /** Identifies the caller; null where the request brings no credential. Not called for public endpoints. */
  readonly identify: (req: Incoming) => Promise<Actor | null>;
  /** Describes a request for services. */
  readonly callerOf: (req: Incoming) => Caller;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** True for the endpoints that this process answers; all by default. */
  readonly serves?: ((endpoint: Endpoint) => boolean) | undefined;
  /** Called after authorization, before the body is read; throws to refuse the request. */
  readonly admit?: ((endpoint: Endpoint, req: Incoming, actor: Actor | null, res: ServerResponse) => void) | undefined;
  /** Reads the body in place of the reader of JSON. */
  readonly readBody?: ((req: Incoming, endpoint: Endpoint) => Promise<unknown>) | undefined;
  /** Called with everything that is thrown, and the caller where it is known. */
  readonly onError?: ((error: unknown, actor: Actor | null, endpoint: Endpoint, req: Incoming) => void) | undefined;
  /** Called with the data of an answer before it is sent; returns what is sent in its place. */
  readonly finish?:
    | ((endpoint: Endpoint, input: unknown, data: unknown, req: Incoming, res: ServerResponse) => unknown)
    | undefined;
  /** Checks every answer against its schema; for tests. */
  readonly checkAnswers?: boolean | undefined;
}

type ServiceMethod = (call: Record<string, unknown>) => Promise<unknown>;

const ROUTES = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const satisfies Record<Method, string>;

/** One HTTP method of one path. */
interface Handler {
  readonly method: Method;
  readonly endpoint: Endpoint;
  readonly service: ServiceMethod;
  /** Headers of a deprecated endpoint. */
  readonly notice: Headers | undefined;
  /** Access to `GET` of the same path. */
  readonly shownTo: Access | undefined;
}

/**
 * Routes for every endpoint of a contract, path by path in its order. A path refuses the methods it
 * lacks, so a request never falls through from a literal path to a later one with a placeholder. Every request needs
 * its `id` before. They are added to `router`: each router around another one costs every request.
 */
export function mount<C extends Contract, Caller>(
  contract: C,
  services: ServicesOf<C, CallContext<Caller>>,
  pipeline: Pipeline<Caller>,
  router: Router = Router({ caseSensitive: true }),
): Router {
  for (const [path, handlers] of handlersByPath(services, pipeline.serves, contract)) {
    const route = router.route(path);
    for (const handler of handlers) {
      route[ROUTES[handler.method]]((req, res) => answer(handler, pipeline, req as Request & Incoming, res));
    }
    route.all(refuseMethod(handlers.map(({ method }) => method)));
  }
  return router;
}

function handlersByPath(
  services: object,
  serves: Pipeline<unknown>['serves'],
  endpoints: Contract,
): Map<string, Handler[]> {
  const paths = new Map<string, Handler[]>();
  const reads = Object.values(endpoints).flatMap((table) =>
    Object.values(table).filter(({ method }) => method === 'GET'),
  );
  for (const [noun, table] of Object.entries(endpoints)) {
    for (const [verb, endpoint] of Object.entries(table)) {
      if (serves?.(endpoint) === false) continue;
      const service = (services as Record<string, Record<string, ServiceMethod>>)[noun]?.[verb];
      if (service === undefined) throw new Error(`no service for ${noun}.${verb}`);
      const notice = endpoint.deprecated && noticeOf(endpoint.deprecated);
      const shownTo = reads.find((read) => read.path === endpoint.path)?.access;
      const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
      const handlers = [endpoint.method, endpoint.alsoMethod]
        .filter((method) => method !== undefined)
        .map((method) => ({ method, endpoint, service, notice, shownTo }));
      paths.set(path, [...(paths.get(path) ?? []), ...handlers]);
    }
  }
  return paths;
}

async function answer<Caller>(
  handler: Handler,
  pipeline: Pipeline<Caller>,
  req: Request & Incoming,
  res: Response,
): Promise<void> {
  const { endpoint, service, notice, shownTo } = handler;
  const { readBody = readJsonBody } = pipeline;
  let actor: Actor | null = null;
  if (notice !== undefined) res.setHeaders(notice);
  try {
    if (endpoint.access !== 'public') actor = await pipeline.identify(req);
    authorizeFor(endpoint, actor);
    pipeline.admit?.(endpoint, req, actor, res);
    const body = await (endpoint.body === undefined ? readUnexpectedBody(req, endpoint) : readBody(req, endpoint));
    const input = parseInput(endpoint, { params: req.params, query: req.query, body }, (names) => {
      res.setHeader(IGNORED_HEADER, ignoredHeader(names));
    });
    const version = versioningOf(endpoint, req, res, { isShown: shownTo !== undefined && can(actor, shownTo) });
    const context: CallContext<Caller> & { actor: ActorFor<'public'> } = {
      actor,
      request: pipeline.callerOf(req),
      left: () => signalOfEnd(res),
      version,
    };
    const result = await service({ ...input, ...context });
    if (version?.isKnown()) return sendEmpty(res, 304);
    if (endpoint.bareList) res.setHeader('X-Total-Count', (result as Page<unknown>).meta.count);
    const data = endpoint.bareList ? (result as Page<unknown>).data : result;
    if (pipeline.checkAnswers) endpoint.data.parse(data);
    const sent = pipeline.finish === undefined ? data : pipeline.finish(endpoint, input, data, req, res);
    sendJson(req, res, 200, sent === undefined ? DONE : success(sent, pipeline.now(), endpoint.msg), {
      mayCompress: endpoint.carriesSecret !== true,
    });
  } catch (error) {
    pipeline.onError?.(error, actor, endpoint, req);
    throw error;
  }
}

/** Headers of RFC 9745 and RFC 8594. */
const noticeOf = ({ since, sunset }: Deprecated) =>
  new Headers({ Deprecation: `@${Date.parse(since) / 1000}`, Sunset: new Date(sunset).toUTCString() });

/** Returns a signal that is aborted when an answer ends, also because its client has gone. */
function signalOfEnd(res: Response): AbortSignal {
  const controller = new AbortController();
  // An input error, because nothing is wrong with the server; nobody receives it.
  const abort = () => controller.abort(new AppError('request_timeout', { message: 'The client has left.' }));
  if (res.destroyed) abort();
  else res.once('close', abort);
  return controller.signal;
}

/** Refuses with 405 and lists the allowed methods. Mount it with `all` after the routes of a path. */
export function refuseMethod(methods: readonly string[]): RequestHandler {
  const allow = methods.includes('GET') ? ['HEAD', ...methods].join(', ') : methods.join(', ');
  return (_req, res) => {
    res.setHeader('Allow', allow);
    throw new AppError('method_not_allowed');
  };
}
