// Types of a client of any contract, inferred from its endpoints.

import type { Page } from './generated/nouns.ts';
import type { Call, ListCall, NoInput } from './request/call.ts';
import type { AnswerSchema, Route } from './request/route.ts';

/** A schema of zod, by its types alone: the types of this package do not load those of zod. */
interface Schema extends AnswerSchema {
  readonly _zod: { readonly input: unknown; readonly output: unknown };
}

/** An endpoint with schemas, such as `endpoint()` of `@quarterdeck/core` makes. */
export interface EndpointWithSchemas extends Route {
  readonly params?: Schema;
  readonly query?: Schema;
  readonly body?: Schema;
  readonly data: Schema;
}

/** A contract: endpoints with schemas by noun and verb. */
export type AnyContract = Readonly<Record<string, Readonly<Record<string, EndpointWithSchemas>>>>;

type Slots<E> = Extract<keyof E, 'params' | 'query' | 'body'>;
type SlotInput<E, S extends Slots<E>> = E[S] extends Schema ? E[S]['_zod']['input'] : never;
// biome-ignore lint/complexity/noBannedTypes: `{}` is meant: can an empty object stand in for the slot?
type OptionalSlots<E> = { [S in Slots<E>]: {} extends SlotInput<E, S> ? S : never }[Slots<E>];

/** Input of an endpoint; optional slots may be omitted. */
export type InputOf<E> = [Slots<E>] extends [never]
  ? NoInput
  : { [S in Exclude<Slots<E>, OptionalSlots<E>>]: SlotInput<E, S> } & { [S in OptionalSlots<E>]?: SlotInput<E, S> };

/** Data of the answer of an endpoint. */
export type DataOf<E extends EndpointWithSchemas> = E['data']['_zod']['output'];

/** Page of a list: its data, or the rows of a bare list with their total. */
export type PageOf<E extends EndpointWithSchemas> = E extends { readonly bareList: true }
  ? DataOf<E> extends readonly (infer Row)[]
    ? Page<Row>
    : never
  : DataOf<E>;

type CallOf<E extends EndpointWithSchemas> =
  PageOf<E> extends Page<unknown> ? ListCall<InputOf<E>, DataOf<E>, PageOf<E>> : Call<InputOf<E>, DataOf<E>>;

/** Client of a contract: every endpoint by noun and verb. */
export type ContractClient<C extends AnyContract> = {
  readonly [N in keyof C]: { readonly [V in keyof C[N]]: CallOf<C[N][V]> };
};
