// Checks the generated types against those that zod infers from the contract: this file must compile.
import type {
  EVENTS,
  NOUNS,
  contract as ourContract,
  EventQuery as RawEventQuery,
  LineExportQuery as RawLineExportQuery,
} from '@quarterdeck/core';
import { expectTypeOf } from 'vitest';
import type * as z from 'zod';
import type { Client } from './client.ts';
import type { ContractClient } from './contract-client.ts';
import type { Calls } from './generated/calls.ts';
import type { EventQuery, EventType, LineExportQuery, Nouns, QuarterdeckEvent } from './generated/nouns.ts';
import type { Call, ListCall } from './request/call.ts';

/** True for identical types: neither has a member, or an optional member, that the other lacks. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** An intersection as one object. */
type Flat<T> = T extends object ? { [K in keyof T]: T[K] } : T;

expectTypeOf<Same<{ a?: string }, { a?: string | undefined }>>().toEqualTypeOf<false>();
expectTypeOf<Same<{ a: { b: 1 } }, { a: { b: 1; c?: 2 } }>>().toEqualTypeOf<false>();

// A noun is what answers hold or, where only callers write it, what they write.
type Names = keyof typeof NOUNS;
expectTypeOf<keyof Nouns>().toEqualTypeOf<Names>();
expectTypeOf<
  {
    [N in Names]: Same<Nouns[N], z.output<(typeof NOUNS)[N]>> extends true
      ? never
      : Same<Nouns[N], z.input<(typeof NOUNS)[N]>> extends true
        ? never
        : N;
  }[Names]
>().toBeNever();

// Each method takes and returns what its endpoint does.
type Inferred = ContractClient<typeof ourContract>;
type InputOf<C> = C extends Call<infer I, infer _> ? Flat<I> : never;
type DataOf<C> = C extends Call<infer _, infer D> ? D : never;
type PageOf<C> = C extends ListCall<infer _I, infer _D, infer P> ? P : 'no list';
type Differing<N extends keyof Calls, Of extends 'input' | 'data' | 'page'> = {
  [V in keyof Calls[N] & keyof Inferred[N]]: Same<
    { input: InputOf<Calls[N][V]>; data: DataOf<Calls[N][V]>; page: PageOf<Calls[N][V]> }[Of],
    { input: InputOf<Inferred[N][V]>; data: DataOf<Inferred[N][V]>; page: PageOf<Inferred[N][V]> }[Of]
  > extends true
    ? never
    : `${N}.${V & string}`;
}[keyof Calls[N] & keyof Inferred[N]];

expectTypeOf<keyof Calls>().toEqualTypeOf<keyof Inferred>();
expectTypeOf<
  { [N in keyof Calls]: Same<keyof Calls[N], keyof Inferred[N]> extends true ? never : N }[keyof Calls]
>().toBeNever();
expectTypeOf<{ [N in keyof Calls]: Differing<N, 'input'> }[keyof Calls]>().toBeNever();
expectTypeOf<{ [N in keyof Calls]: Differing<N, 'data'> }[keyof Calls]>().toBeNever();
expectTypeOf<{ [N in keyof Calls]: Differing<N, 'page'> }[keyof Calls]>().toBeNever();
expectTypeOf<InputOf<Client['apiToken']['get']>>().toEqualTypeOf<{
  params: { id: number };
  query?: { detail?: number | undefined };
}>();

// Events and what the client reads beside the endpoints.
expectTypeOf<EventType>().toEqualTypeOf<keyof typeof EVENTS>();
expectTypeOf<QuarterdeckEvent>().toEqualTypeOf<
  {
    [T in EventType]: { readonly id: string; readonly type: T; readonly data: z.output<(typeof EVENTS)[T]> };
  }[EventType]
>();
expectTypeOf<EventQuery>().toEqualTypeOf<RawEventQuery>();
expectTypeOf<LineExportQuery>().toEqualTypeOf<RawLineExportQuery>();
