// Contract + services -> routes. The whole life of a request is in `answer`; there is no other place where a request of
// the contract is let in, refused or answered.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Actor,
  type ActorFor,
  type Contract,
  contract,
  DONE,
  type Endpoint,
  type Method,
  type Page,
  type Service,
  success,
} from '@quarterdeck/core';
import { Router } from 'express';
import type { CallContext } from '../deps.ts';
import { authorize } from './authorize.ts';
import { readBody } from './body.ts';
import { addressOf, callerOf } from './caller.ts';
import { noteCredential } from './connection-guard.ts';
import { type OnDenied, tellDenied } from './denied.ts';
import type { Identify } from './identify.ts';
import { parseInput, type RawInput } from './parse.ts';
import { refuseMethod } from './refuse-method.ts';
import { sendJson } from './send.ts';
import type { Incoming } from './steps.ts';
import type { WriteLimit } from './write-limit.ts';

/** A service per noun of the contract. */
export type Services = { [N in keyof typeof contract]: Service<(typeof contract)[N], CallContext> };

/** What the pipeline needs. */
export interface Pipeline {
  readonly identify: Identify;
  readonly now: () => number;
  /** Whether an endpoint is answered by this process. */
  readonly serves: (endpoint: Endpoint) => boolean;
  readonly onDenied: OnDenied;
  readonly writeLimit: WriteLimit;
  /** Checks every answer against its schema; for tests. */
  readonly checkAnswers?: boolean;
}

type Method1 = (call: Record<string, unknown>) => Promise<unknown>;

const ROUTES = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const satisfies Record<Method, string>;

/** An endpoint, and what answers it. */
interface Answering {
  readonly endpoint: Endpoint;
  readonly service: Method1;
}

/** One method of one path. */
interface Handler extends Answering {
  readonly method: Method;
}

/**
 * Routes for every endpoint of the contract. Path by path, in the order of the contract, so that what a literal path
 * does not answer is refused there and does not fall through to a later one with a placeholder.
 */
export function mount(services: Services, pipeline: Pipeline): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, handlers] of handlersByPath(services, pipeline)) {
    const route = router.route(path);
    for (const { method, endpoint, service } of handlers) {
      route[ROUTES[method]]((req, res) => answer({ endpoint, service }, pipeline, req, req, res));
    }
    route.all(refuseMethod(handlers.map(({ method }) => method)));
  }
  return router;
}

/** Answers a request; rejects where it is refused. */
export type Answer = (req: Incoming, res: ServerResponse) => Promise<void>;

const REPORT_PATH = new RegExp(`^${contract.agent.heartbeat.path.replace('{id}', '(\\d{1,15})')}/?$`);

/**
 * The way of agents' reports past Express: they come by the thousand, and up to a tenth of what each costs is Express'.
 * Returns what answers a request; undefined where it is anything else, or a report in a form that agents do not use.
 */
export function reportAnswerer(services: Services, pipeline: Pipeline): (req: IncomingMessage) => Answer | undefined {
  const endpoint = contract.agent.heartbeat;
  const report = { endpoint, service: services.agent.heartbeat as unknown as Method1 };
  return ({ method, url = '' }) => {
    if (method !== 'POST' || !pipeline.serves(endpoint)) return undefined;
    const id = REPORT_PATH.exec(url)?.[1];
    if (id === undefined) return undefined;
    return (req, res) => answer(report, pipeline, { params: { id }, query: {} }, req, res);
  };
}

function handlersByPath(services: Services, pipeline: Pipeline): Map<string, Handler[]> {
  const paths = new Map<string, Handler[]>();
  for (const [noun, table] of Object.entries(contract as Contract)) {
    for (const [verb, endpoint] of Object.entries(table)) {
      if (!pipeline.serves(endpoint)) continue;
      const service = (services as unknown as Record<string, Record<string, Method1>>)[noun]?.[verb];
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

async function answer(
  { endpoint, service }: Answering,
  pipeline: Pipeline,
  { params, query }: Pick<RawInput, 'params' | 'query'>,
  req: Incoming,
  res: ServerResponse,
): Promise<void> {
  let actor: Actor | null = null;
  try {
    if (endpoint.access !== 'public') actor = await pipeline.identify(req.headers, addressOf(req), req.id);
    if (actor !== null) noteCredential(req);
    authorize(endpoint.access, actor);
    pipeline.writeLimit.count(endpoint, req.method, actor, res);
    const body = endpoint.body === undefined ? undefined : await readBody(req, endpoint);
    const input = parseInput(endpoint, { params, query, body });
    const result = await service({ ...input, actor: actor as ActorFor<'public'>, request: callerOf(req) });
    if (endpoint.bareList) res.setHeader('X-Total-Count', (result as Page<unknown>).meta.count);
    const data = endpoint.bareList ? (result as Page<unknown>).data : result;
    if (pipeline.checkAnswers) endpoint.data.parse(data);
    sendJson(req, res, 200, data === undefined ? DONE : success(data, pipeline.now(), endpoint.msg));
  } catch (error) {
    tellDenied(pipeline.onDenied, error, actor, endpoint.path, req);
    throw error;
  }
}
