// The endpoints that a fake answers, and their types: those of a contract by `noun.verb`.
import {
  type Contract,
  contract,
  type Endpoint,
  ErrlogEntry,
  EventQuery,
  endpoint,
  errlogFilters,
  Line,
  LineExportQuery,
  type Parsed,
  queryInt,
  type Result,
} from '@quarterdeck/core';
import * as z from 'zod';

/** The event stream. Its answer does not end. */
export const EVENT_STREAM = endpoint({
  method: 'GET',
  path: '/admin-api/events',
  summary: 'Server-sent events',
  access: 'signed_in',
  query: EventQuery,
  data: z.undefined(),
});

/** The export of error logs, answered with rows. */
export const ERRLOG_EXPORT = endpoint({
  method: 'GET',
  path: '/admin-api/log_server/errlog/export',
  summary: 'All groups of a filter',
  access: 'errlog:read',
  query: z.object({
    ...errlogFilters,
    format: LineExportQuery.shape.format,
    before_id: queryInt(1, Number.MAX_SAFE_INTEGER).optional(),
  }),
  data: z.array(ErrlogEntry),
});

/** The export of lines, answered with rows. */
export const LINE_EXPORT = endpoint({
  method: 'GET',
  path: '/admin-api/log_server/line/export',
  summary: 'All lines of a filter',
  access: 'errlog:read',
  query: LineExportQuery,
  data: z.array(Line),
});

/** Every endpoint of Quarterdeck, with the streams that are not in its contract. Literal paths come first. */
export const quarterdeck = {
  ...contract,
  errlog: { export: ERRLOG_EXPORT, ...contract.errlog },
  line: { export: LINE_EXPORT, ...contract.line },
  event: { stream: EVENT_STREAM },
};

/** Every endpoint of Quarterdeck. */
export type Quarterdeck = typeof quarterdeck;

/** Name of an endpoint: `errlog.list`. */
export type EndpointName<C extends Contract = Quarterdeck> = {
  [N in keyof C & string]: `${N}.${keyof C[N] & string}`;
}[keyof C & string];

/** Endpoint of a contract by its name, such as `errlog.list`. */
export type EndpointOf<C extends Contract, Name> = Name extends `${infer N}.${infer V}`
  ? N extends keyof C
    ? V extends keyof C[N]
      ? C[N][V]
      : never
    : never
  : never;

/** Input that an answer is computed from: every slot parsed and validated, and the headers of the request. */
export type FakeCall<E extends Endpoint> = Parsed<E> & { readonly headers: Headers };

type Rows<E extends Endpoint> =
  Result<E> extends { readonly data: readonly (infer Row)[] } ? readonly Row[] : Result<E>;

/** Answer of an endpoint: its data. A list may be answered with all of its rows; the fake returns the page of them. */
export type FakeAnswer<E extends Endpoint> =
  | Result<E>
  | Rows<E>
  // biome-ignore lint/suspicious/noConfusingVoidType: a function without a result answers without data
  | (undefined extends Result<E> ? void : never);

/** An answer, or a function that computes it. */
export type FakeHandler<E extends Endpoint> =
  | FakeAnswer<E>
  | ((call: FakeCall<E>) => FakeAnswer<E> | Promise<FakeAnswer<E>>);

/** Input of an endpoint of Quarterdeck, for functions that compute its answer: `CallOf<'agent.list'>`. */
export type CallOf<N extends EndpointName> = FakeCall<EndpointOf<Quarterdeck, N>>;
