// Spans of requests, with children for statements, writes and password hashes. No span holds text from outside: neither
// paths, queries, headers nor values of statements.
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Database, OnStatement } from '@quarterdeck/core/db';
import type { Passwords } from '../auth/passwords.ts';
import { routeOf, UNKNOWN_ROUTE } from '../http/endpoints/route-of.ts';
import type { TraceRequest } from './telemetry.ts';

/** Statements of one request that get a span; the others are only in its sum. */
const STATEMENT_SPANS = 50;
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);

/** Work for one request. What it left running is not counted after its answer. */
interface RequestWork {
  statements: number;
  statementsMs: number;
  isOver: boolean;
}

/** A recorded request. */
interface RequestTrace {
  readonly span: Span;
  /** Context for the children of its span, or of the span of a write. */
  readonly context: Context;
  readonly work: RequestWork;
  /** Unix milliseconds at which `performance.now` was 0, by the clock of its start. */
  readonly originMs: number;
}

/** Spans of one tracer. */
export interface Tracing {
  readonly traceRequest: TraceRequest;
  database(db: Database): Database;
  passwords(passwords: Passwords): Passwords;
}

/** Creates the spans of a tracer. */
export function createTracing(tracer: Tracer): Tracing {
  const current = new AsyncLocalStorage<RequestTrace>();
  const propagator = new W3CTraceContextPropagator();

  const traceRequest: TraceRequest = (req, res, next) => {
    const { method = '', headers } = req;
    const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const known = METHODS.has(method) ? method : '_OTHER';
    const attributes = { 'http.request.method': known };
    const span = tracer.startSpan(known, { kind: SpanKind.SERVER, attributes }, parent);
    if (!span.isRecording()) return next();
    const work: RequestWork = { statements: 0, statementsMs: 0, isOver: false };
    res.once('close', () => {
      work.isOver = true;
      const { statusCode } = res;
      const route = routeOf(req);
      if (route !== UNKNOWN_ROUTE) {
        span.updateName(`${known} ${route}`);
        span.setAttribute('http.route', route);
      }
      if (req.id !== undefined) span.setAttribute('quarterdeck.request_id', req.id);
      span.setAttributes({
        'quarterdeck.database.statements': work.statements,
        'quarterdeck.database.duration': work.statementsMs / 1000,
      });
      if (res.headersSent) span.setAttribute('http.response.status_code', statusCode);
      else span.setAttribute('error.type', 'client_left');
      if (statusCode >= 500) {
        span.setAttribute('error.type', String(statusCode));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    });
    current.run({ span, context: trace.setSpan(parent, span), work, originMs: Date.now() - performance.now() }, next);
  };

  /** Runs something in a span below that of the request, if there is one. */
  async function inSpan<T>(name: string, attributes: Record<string, string>, run: () => Promise<T>): Promise<T> {
    const request = current.getStore();
    if (request === undefined || request.work.isOver) return run();
    const span = tracer.startSpan(name, { attributes }, request.context);
    try {
      return await current.run({ ...request, span, context: trace.setSpan(request.context, span) }, run);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  const onStatement =
    (system: string): OnStatement =>
    ({ operation, table }, startMs, endMs) => {
      const request = current.getStore();
      if (request === undefined || request.work.isOver) return;
      const { work, context, originMs } = request;
      work.statements += 1;
      work.statementsMs += endMs - startMs;
      if (work.statements > STATEMENT_SPANS) return;
      const attributes = { 'db.system.name': system, 'db.operation.name': operation, 'db.collection.name': table };
      const options = { kind: SpanKind.CLIENT, attributes, startTime: originMs + startMs };
      tracer.startSpan(`${operation} ${table}`, options, context).end(originMs + endMs);
    };

  return {
    traceRequest,
    database(db) {
      db.statementTimes.onStatement = onStatement(db.dialect);
      const attributes = { 'db.system.name': db.dialect };
      return {
        ...db,
        write: (work, options) =>
          inSpan('write', attributes, () => {
            // On SQLite the queue runs the work in the context of another request.
            const inContext = AsyncLocalStorage.snapshot();
            return db.write((tx) => inContext(() => work(tx)), options);
          }),
      };
    },
    passwords: (passwords) => ({
      ...passwords,
      hash: (...given) => inSpan('password hash', {}, () => passwords.hash(...given)),
      verify: (...given) => inSpan('password hash', {}, () => passwords.verify(...given)),
    }),
  };
}
