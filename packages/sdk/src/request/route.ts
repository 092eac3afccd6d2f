// An endpoint as the client needs it: an entry of the table of routes, or an `endpoint()` of a contract.
import type { Access, Method } from '@quarterdeck/core/plain';

/** Result of a comparison with a schema. */
export interface SchemaResult {
  readonly success: boolean;
  readonly error?: { readonly issues: readonly SchemaIssue[] } | undefined;
}

/** One violation of a schema. */
export interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Compares data with the contract; every schema of zod does. */
export interface AnswerSchema {
  safeParse(data: unknown): SchemaResult;
}

/** One endpoint. */
export interface Route {
  readonly method: Method;
  /** Path with `{placeholders}`. */
  readonly path: `/${string}`;
  /** Callers it accepts. */
  readonly access: Access;
  /** Its `shape` names the parameters. The table of routes has those of paging only. */
  readonly query?: object;
  /** Present where a request has a body. */
  readonly body?: unknown;
  /** Schema of `data` in the envelope of a success. */
  readonly data: AnswerSchema;
  /** `data` is a bare array and the total travels in `X-Total-Count`. */
  readonly bareList?: true;
}

/** Endpoints by noun and verb. */
export type Routes = Readonly<Record<string, Readonly<Record<string, Route>>>>;

const refuse = (message: string): SchemaResult => ({ success: false, error: { issues: [{ path: [], message }] } });

/** Any data, but not none: stands for a schema in the table of routes. */
export const SOME_DATA: AnswerSchema = {
  safeParse: (data) => (data === undefined ? refuse('is missing') : { success: true }),
};

/** Schema of answers that have no `data`. */
export const NO_DATA: AnswerSchema = {
  safeParse: (data) => (data === undefined ? { success: true } : refuse('must be absent')),
};

/** Key of the schemas of events and exports in the contract of Quarterdeck. */
export const STREAMS = Symbol('streams');

/** Schemas of what does not come as the data of an endpoint. */
export interface StreamSchemas {
  readonly events: Readonly<Record<string, AnswerSchema>>;
  /** Rows of the exports. */
  readonly rows: { readonly errlog: AnswerSchema; readonly line: AnswerSchema };
}

/** The contract of Quarterdeck with the schemas of its answers: `contract` of `@quarterdeck/sdk/contract`. */
export type QuarterdeckContract = Routes & { readonly [STREAMS]: StreamSchemas };

/**
 * Parameters of a query, by name.
 *
 * @public for the generated table of routes
 */
export const paged = (...names: readonly string[]): object => ({
  shape: Object.fromEntries(names.map((name) => [name, true])),
});

/**
 * An entry of the table of routes. `hasData` tells whether its answer has data.
 *
 * @public for the generated table of routes
 */
export const endpoint = (
  method: Method,
  path: Route['path'],
  access: Access,
  hasData: 0 | 1,
  more?: Pick<Route, 'query' | 'body' | 'bareList'>,
): Route => ({ method, path, access, data: hasData ? SOME_DATA : NO_DATA, ...more });
