// An endpoint is data. From a table of these come the routes, the services' types, the client and the OpenAPI document.
import type { z } from 'zod';
import type { Access, ActorFor } from '../auth/can.ts';
import type { Page } from '../domain/page.ts';
import type { ErrorCode } from '../errors.ts';

/** HTTP methods in use. */
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One endpoint: everything that is to be known of it without its implementation. */
export interface Endpoint {
  readonly method: Method;
  /** Path with `{placeholders}`, as OpenAPI writes it. */
  readonly path: `/${string}`;
  /** One sentence for the documentation. */
  readonly summary: string;
  /** Who may call it. */
  readonly access: Access;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** A request without any body means `{}`. Elsewhere it is refused with `body_missing`, also where `{}` is valid. */
  readonly bodyOptional?: true;
  /**
   * How the body arrives. `json` (default): `application/json`, or no type at all. `any_type`: JSON whatever the
   * Content-Type says. `lines`: JSON or NDJSON, with the larger limit of the log intake.
   */
  readonly consumes?: 'json' | 'any_type' | 'lines';
  /** Does not count against the rate of changes of a credential: what is sent in large numbers by design. */
  readonly uncounted?: true;
  /** Largest body in bytes, where it differs from the usual one. */
  readonly bodyLimit?: number;
  /** What the envelope carries; {@link NoData} for an envelope that holds `status` alone. */
  readonly data: z.ZodType;
  /** `data` is a bare array and the total travels in `X-Total-Count` (specification 4.6). */
  readonly bareList?: true;
  /** `msg` of a success. */
  readonly msg?: string;
  /** What it may refuse with, beyond what every endpoint can. */
  readonly errors?: readonly ErrorCode[];
  /** Other methods the same endpoint answers to. */
  readonly alsoMethod?: Method;
}

/** Declares an endpoint; keeps its exact types. */
export const endpoint = <const E extends Endpoint>(definition: E): E => definition;

/** Endpoints by noun and verb. */
export type Contract = Readonly<Record<string, Readonly<Record<string, Endpoint>>>>;

type SlotName = 'params' | 'query' | 'body';
type Slots<E> = Extract<keyof E, SlotName>;
type SlotInput<E, S extends Slots<E>> = E[S] extends z.ZodType ? z.input<E[S]> : never;
type SlotOutput<E, S extends Slots<E>> = E[S] extends z.ZodType ? z.output<E[S]> : never;
// biome-ignore lint/complexity/noBannedTypes: `{}` is meant: can an empty object stand in for the slot?
type OptionalSlots<E> = { [S in Slots<E>]: {} extends SlotInput<E, S> ? S : never }[Slots<E>];

/** What a caller writes; a slot that may be empty may be left out. */
export type Input<E> = { [S in Exclude<Slots<E>, OptionalSlots<E>>]: SlotInput<E, S> } & {
  [S in OptionalSlots<E>]?: SlotInput<E, S>;
};

/** What a service receives: every slot read and checked. */
export type Parsed<E> = { [S in Slots<E>]: SlotOutput<E, S> };

/** What a caller gets. */
export type Data<E extends Endpoint> = z.output<E['data']>;

/** What a service returns: for a bare list the rows with their total. */
export type Result<E extends Endpoint> = E extends { readonly bareList: true }
  ? Data<E> extends readonly (infer Row)[]
    ? Page<Row>
    : never
  : Data<E>;

/** A service that implements a table: one method per endpoint. `Context` is what the host adds to each call. */
export type Service<Table extends Readonly<Record<string, Endpoint>>, Context> = {
  [K in keyof Table]: (
    call: Parsed<Table[K]> & { readonly actor: ActorFor<Table[K]['access']> } & Context,
  ) => Promise<Result<Table[K]>>;
};

/** Walks a contract and puts something of the same shape in its place. */
export function mapContract<C extends Contract, Out>(
  contract: C,
  visit: (definition: Endpoint, noun: string, verb: string) => Out,
): { [N in keyof C]: { [V in keyof C[N]]: Out } } {
  return Object.fromEntries(
    Object.entries(contract).map(([noun, table]) => [
      noun,
      Object.fromEntries(Object.entries(table).map(([verb, definition]) => [verb, visit(definition, noun, verb)])),
    ]),
  ) as { [N in keyof C]: { [V in keyof C[N]]: Out } };
}
