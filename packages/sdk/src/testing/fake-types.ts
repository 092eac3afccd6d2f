// Types of a fake.
import type { AppErrorOptions, Contract, ErrorCode, EventType } from '@quarterdeck/core';
import type { EndpointName, EndpointOf, FakeCall, FakeHandler, Quarterdeck } from './endpoints.ts';
import type { EventData } from './event-streams.ts';

/** Options of {@link createFake}. */
export interface FakeOptions {
  /** Address of the server; a path prefix is allowed. `http://quarterdeck.test` by default. */
  readonly url?: string | undefined;
  /** Accepted API and session tokens. By default any caller is accepted, also one without a credential. */
  readonly credentials?: readonly string[] | undefined;
  /** Clock of the `time` of answers, Unix milliseconds. */
  readonly now?: (() => number) | undefined;
}

/** Limits of an answer. */
export interface AnswerOptions {
  /** Number of calls that it answers before the previous answer returns; all by default. */
  readonly times?: number | undefined;
  /** Milliseconds until it comes; `Infinity` for never. */
  readonly delayMs?: number | undefined;
}

/** Options of a failure: parts of its envelope, and its limits. */
export interface FailureOptions extends AnswerOptions, Omit<AppErrorOptions, 'cause'> {}

/** A request that a fake has received. */
export interface RecordedCall {
  /** Name of the endpoint; undefined where no path fits. */
  readonly name: string | undefined;
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** Parsed `params`, `query` and `body`; undefined for a request that was refused before. */
  readonly input: Readonly<Record<string, unknown>> | undefined;
  /** HTTP status of the answer; undefined without an answer, and before it. */
  readonly status: number | undefined;
}

/** A fake of a server. */
export interface Fake<C extends Contract = Quarterdeck> {
  /** Its address, for `createClient({ url })`. */
  readonly url: string;
  /** Stands for the global `fetch`. */
  readonly fetch: typeof fetch;
  /** The last 1,000 requests, in the order of their arrival. */
  readonly calls: readonly RecordedCall[];
  /** Number of open connections to the event stream. */
  readonly openStreams: number;
  /** Valid calls of one endpoint: `fake.callsOf('apiToken.create')[0]?.body.name`. */
  callsOf<N extends EndpointName<C>>(name: N): readonly FakeCall<EndpointOf<C, N>>[];
  /**
   * Answers an endpoint with data, or with a function of its input. An array answers a list with all of its rows; the
   * fake returns the page of them. The function may throw {@link refusal}. Data that does not fit the contract is
   * answered with `internal` and the fault.
   */
  on<N extends EndpointName<C>>(name: N, answer: FakeHandler<EndpointOf<C, N>>, options?: AnswerOptions): void;
  /** Refuses the calls of an endpoint: `fake.fails('apiToken.create', 'token_limit_reached')`. */
  fails(name: EndpointName<C>, code: ErrorCode, options?: FailureOptions): void;
  /** Breaks the connection of the calls of an endpoint: no answer comes. */
  breaks(name: EndpointName<C>, options?: AnswerOptions): void;
  /**
   * Sends an event to all open streams of its type, and to those that continue before it.
   *
   * @throws TypeError for data that does not fit the contract
   */
  emit<T extends EventType>(type: T, data: EventData<T>): void;
  /** Ends all event streams, as a server that restarts does. */
  endStreams(): void;
}
