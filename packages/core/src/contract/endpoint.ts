// An endpoint is data. Routes, types of the services, client and OpenAPI document are derived from a table of
// endpoints.
import type * as z from 'zod';
import type { Access, ActorFor } from '../auth/can.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { Page } from '../domain/page.ts';
import type { Method } from './method.ts';

/** A day in UTC, such as `2027-01-31`. */
type Day = `${number}-${number}-${number}`;

/** Notice that an endpoint will go. Its answers have the headers `Deprecation` and `Sunset`. */
export interface Deprecated {
  readonly since: Day;
  /** The first day on which it may be missing. */
  readonly sunset: Day;
  /** The replacement, such as `GET /admin-api/log_server/errlog`. */
  readonly use: string;
}

/** One endpoint: its complete definition without the implementation. */
export interface Endpoint {
  readonly method: Method;
  /** Path with `{placeholders}`, as OpenAPI writes it. */
  readonly path: `/${string}`;
  /** One sentence for the documentation. */
  readonly summary: string;
  /** Callers it accepts. */
  readonly access: Access;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /**
   * Treatment of fields and parameters that the schemas do not have. By default they are refused with `unknown_field`.
   * `ignored`: accepted, and named in the header `Quarterdeck-Ignored`; for the paths of the specification, whose
   * clients send some. `open_body`: those of the body are accepted in silence; for senders that may be newer.
   */
  readonly unknownInput?: 'ignored' | 'open_body';
  /**
   * Names in a body that are refused also where others are ignored, as are those at most two letters from a known
   * field: the caller meant to limit what is created. In lower case; a `*` at the end stands for any rest.
   */
  readonly limitNames?: readonly string[];
  /** A request without a body means `{}`. Otherwise it is refused with `body_missing`, also where `{}` is valid. */
  readonly bodyOptional?: true;
  /**
   * Form of the body. `json` (default): `application/json`, or no type at all. `any_type`: JSON under any Content-Type.
   * `lines`: JSON or NDJSON, with the larger limit of the log intake.
   */
  readonly consumes?: 'json' | 'any_type' | 'lines';
  /** Excluded from the rate limit of changes, for requests that are frequent by design. */
  readonly uncounted?: true;
  /** Maximum body in bytes, when it differs from the usual one. */
  readonly bodyLimit?: number;
  /** Data of the envelope; {@link NoData} for an envelope with `status` alone. */
  readonly data: z.ZodType;
  /** `data` is a bare array and the total travels in `X-Total-Count` (specification 4.6). */
  readonly bareList?: true;
  /** The data has a secret. Such an answer is never compressed: its length would reveal the secret (BREACH). */
  readonly carriesSecret?: true;
  /** `msg` of a success. */
  readonly msg?: string;
  /**
   * Fields of the data, with all details, that people edit. Answers have an `ETag` of them, and a request that changes
   * the object may carry `If-Match`.
   */
  readonly versioned?: readonly string[];
  /**
   * The service narrows the answer to the sources that the caller may see, or has nothing about sources. Callers with a
   * filter of sources are refused without it, so that a new endpoint shows them nothing.
   */
  readonly narrowed?: true;
  /** Error codes beyond those of every endpoint. */
  readonly errors?: readonly ErrorCode[];
  readonly deprecated?: Deprecated;
  /** Another method of the same endpoint. */
  readonly alsoMethod?: Method;
}

/** Declares an endpoint; keeps its exact types. */
export const endpoint = <const E extends Endpoint>(definition: E): E => definition;

/** Endpoints by noun and verb. */
export type Contract = Readonly<Record<string, Readonly<Record<string, Endpoint>>>>;

type Slots<E> = Extract<keyof E, 'params' | 'query' | 'body'>;
type SlotOutput<E, S extends Slots<E>> = E[S] extends z.ZodType ? z.output<E[S]> : never;

/** Input that a service receives: every slot parsed and validated. */
export type Parsed<E> = { [S in Slots<E>]: SlotOutput<E, S> };

/** Data that a caller receives. */
export type Data<E extends Endpoint> = z.output<E['data']>;

/** Return value of a service: for a bare list the rows with their total. */
export type Result<E extends Endpoint> = E extends { readonly bareList: true }
  ? Data<E> extends readonly (infer Row)[]
    ? Page<Row>
    : never
  : Data<E>;

/** Service that implements a table: one method per endpoint. The server adds `Context` to each call. */
export type Service<Table extends Readonly<Record<string, Endpoint>>, Context> = {
  [K in keyof Table]: (
    call: Parsed<Table[K]> & { readonly actor: ActorFor<Table[K]['access']> } & Context,
  ) => Promise<Result<Table[K]>>;
};
