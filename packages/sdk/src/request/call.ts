// Types of one endpoint as a function.
import type { CallPromise } from './call-promise.ts';
import type { Route } from './route.ts';
import type { CallOptions } from './transport.ts';

/** Input of an endpoint that takes none. */
export type NoInput = Record<string, never>;

/** Arguments of a call: the slots of its endpoint, optional when none is required, and options of this call. */
export type CallArguments<I> =
  // biome-ignore lint/complexity/noBannedTypes: `{}` is meant: can an empty object stand in for the input?
  {} extends I
    ? [input?: I | undefined, options?: CallOptions | undefined]
    : [input: I, options?: CallOptions | undefined];

/**
 * One endpoint as a function of its input. It resolves with `data` of the envelope, in the units of the wire. It
 * rejects with an ApiError, NetworkError, TimeoutError or UnexpectedAnswerError. Input that cannot be sent is a
 * TypeError; an aborted signal rejects with its reason.
 */
export interface Call<I, D> {
  (...args: CallArguments<I>): CallPromise<D>;
  /** Its method, path and access. */
  readonly endpoint: Route;
}

/** A list as a function. */
export interface ListCall<I, D, P = D> extends Call<I, D> {
  /** Calls the list and always returns the total: `{ data: rows, meta: { count } }`. */
  page(...args: CallArguments<I>): CallPromise<P>;
}
