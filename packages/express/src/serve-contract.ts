// Serves a contract: routes, envelope, failures, request ids, and the documentation of all of them.
import { inspect } from 'node:util';
import { type Actor, AppError, type Contract, type Endpoint } from '@quarterdeck/core';
import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { createDocsPage, DOCS_CSP } from './docs.ts';
import { type ConvertError, createRefuse, isFault } from './error-handler.ts';
import { type CallContext, mount, type Pipeline, refuseMethod, type ServicesOf } from './mount.ts';
import type { Noun } from './openapi/schemas.ts';
import type { Info } from './openapi/types.ts';
import { createDocument } from './openapi.ts';
import { sendHtml, sendText } from './send.ts';
import { closeWithConnection, type Incoming, requestId } from './steps.ts';

/** `User-Agent` of a caller at most, in UTF-16 units. */
const CLIENT_MAX = 200;

/** A request as services see it. */
export interface Caller {
  /** Request id: the `X-Request-Id` of the answer. */
  readonly id: string;
  /** Address of the client, by the app's setting `trust proxy`. */
  readonly address: string;
  /** `User-Agent` of the client, truncated. */
  readonly client: string;
}

/** A service per noun of a contract, and in it a method per endpoint. */
export type Services<C extends Contract> = ServicesOf<C, CallContext<Caller>>;

/**
 * Identifies the caller of a request; null where it brings no credential.
 *
 * @throws AppError 401 for an invalid credential, 503 where it cannot be checked
 */
export type Identify = (req: Incoming) => Promise<Actor | null>;

/** Options of {@link serveContract}. */
export interface ServeOptions {
  /** Title and version of the service, for its documentation. */
  readonly info: Info;
  /** Identifies callers. Required unless every endpoint is public. */
  readonly identify?: Identify | undefined;
  /** Called with each failure that is a fault of the service (500 or more). By default it goes to standard error. */
  readonly onFault?: ((error: AppError, requestId: string) => void) | undefined;
  /** Converts errors of the service's own kind, such as those of its database; undefined for all others. */
  readonly convertError?: ConvertError | undefined;
  /** Noun of the contract -> a sentence about its operations, for the documentation. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Schemas that the documentation shows by name. */
  readonly nouns?: Readonly<Record<string, Noun>> | undefined;
  /** False for no `/openapi.json` and no `/docs`. */
  readonly docs?: boolean | undefined;
  /** True where later routes of the app answer what this contract lacks. By default that is refused. */
  readonly fallThrough?: boolean | undefined;
  /** Checks every answer against its schema; for tests. */
  readonly checkAnswers?: boolean | undefined;
  /** Unix milliseconds; replaces the system's clock in tests. */
  readonly now?: (() => number) | undefined;
}

/**
 * Creates the router of a contract. Mount it before anything that reads bodies, such as `express.json()`.
 *
 * @throws TypeError for endpoints with callers to identify and no `identify`, and for endpoints that take lines
 */
export function serveContract<C extends Contract>(contract: C, services: Services<C>, options: ServeOptions): Router {
  const { now = Date.now, onFault = reportFault, convertError: convert } = options;
  const endpoints = Object.values<Contract[string]>(contract).flatMap((table) => Object.values(table));
  for (const endpoint of endpoints) checkServable(endpoint, options);
  const pipeline: Pipeline<Caller> = {
    identify: options.identify ?? (async () => null),
    callerOf: ({ id, address, headers }) => ({
      id,
      address,
      client: (headers['user-agent'] ?? '').slice(0, CLIENT_MAX),
    }),
    now,
    checkAnswers: options.checkAnswers,
  };
  const refuse = createRefuse({
    now,
    convert,
    onFailure: (error, { id }) => {
      if (isFault(error)) onFault(error, id);
    },
  });
  const router = Router({ caseSensitive: true });
  router.use(begin);
  router.use(mount(contract, services, pipeline));
  if (options.docs !== false) router.use(documentation(contract, options));
  if (options.fallThrough !== true) {
    router.use(() => {
      throw new AppError('unknown_path');
    });
  }
  const refuseError: ErrorRequestHandler = (error, req, res, _next) => refuse(error, req as unknown as Incoming, res);
  router.use(refuseError);
  return router;
}

function checkServable({ method, path, access, consumes }: Endpoint, { identify }: ServeOptions): void {
  if (access !== 'public' && identify === undefined) {
    throw new TypeError(`${method} ${path} has the access ${access}: identify is required`);
  }
  if (consumes === 'lines') throw new TypeError(`${method} ${path} takes lines, which only Quarterdeck itself reads`);
}

/** Gives a request its id and address before anything can fail. */
const begin: RequestHandler = (req, res, next) => {
  const incoming = req as unknown as Incoming;
  closeWithConnection(res);
  requestId(incoming, res);
  incoming.address = req.ip ?? '';
  res.removeHeader('X-Powered-By');
  next();
};

/** `/openapi.json` and `/docs`, made at their first request. */
function documentation(contract: Contract, { info, tags, nouns }: ServeOptions): Router {
  const router = Router({ caseSensitive: true });
  let document: ReturnType<typeof createDocument> | undefined;
  const documentOf = (baseUrl: string) => {
    document ??= createDocument({ contract, info, tags, nouns, servers: [{ url: baseUrl || '/' }] });
    return document;
  };
  let bytes: Buffer | undefined;
  let page: Buffer | undefined;
  router.get('/openapi.json', (req, res) => {
    bytes ??= Buffer.from(JSON.stringify(documentOf(req.baseUrl)));
    sendText(req, res, 200, bytes, { mayCompress: true });
  });
  router.get('/docs', (req, res) => {
    page ??= createDocsPage(documentOf(req.baseUrl), { documentUrl: `${req.baseUrl}/openapi.json` });
    sendHtml(req, res, 200, page, DOCS_CSP);
  });
  router.all(['/openapi.json', '/docs'], refuseMethod(['GET']));
  return router;
}

function reportFault(error: AppError, requestId: string): void {
  process.stderr.write(`request ${requestId} failed: ${inspect(error.cause ?? error)}\n`);
}
