// The client: a walk over a table of routes. No method is written by hand.

import type { AnyContract, ContractClient } from './contract-client.ts';
import type { EventOptions, EventStream, SubscribableType } from './events.ts';
import type { ErrlogExportFilter, ExportFormat, ExportOptions, LineExportFilter } from './export.ts';
import type { Calls } from './generated/calls.ts';
import type { ErrlogEntry, Line } from './generated/nouns.ts';
import { ROUTES } from './generated/routes.ts';
import type { LineFilter, LineOptions } from './lines.ts';
import type { Answer } from './request/answer.ts';
import { type CallPromise, callPromise } from './request/call-promise.ts';
import { UnexpectedAnswerError } from './request/errors.ts';
import { type QuarterdeckContract, type Route, type Routes, STREAMS, type StreamSchemas } from './request/route.ts';
import {
  type CallOptions,
  type ClientOptions,
  createTransport,
  type EndpointInput,
  type Transport,
} from './request/transport.ts';

/** Every endpoint by noun and verb, the event stream, and the exports. */
export interface Client extends Calls {
  /**
   * Streams the events of the server for as long as they are read. See {@link EventOptions}.
   *
   * @throws ApiError when the credential is refused, UnexpectedAnswerError when this is not the event stream
   */
  events<T extends SubscribableType = SubscribableType>(options?: EventOptions<T>): EventStream<T>;
  /**
   * Exports all error logs of a filter with all their fields, newest groups first. None is missing or repeated, even
   * when the list changes meanwhile. After a broken connection it continues where it was.
   *
   * @throws the errors of a call; the reason of the signal when that is aborted
   */
  exportErrlog(options?: ExportOptions<ErrlogExportFilter>): AsyncGenerator<ErrlogEntry, void, undefined>;
  /**
   * Exports the same as the text of a file, in pieces. It retries only before the first piece: a connection that breaks
   * later throws, and the text is incomplete.
   *
   * @throws the errors of a call; the reason of the signal when that is aborted
   */
  exportErrlogText(
    format: ExportFormat,
    options?: ExportOptions<ErrlogExportFilter>,
  ): AsyncGenerator<string, void, undefined>;
  /**
   * Reads the lines of a filter, newest first, page by page as they are taken. None is missing or repeated, even when
   * others arrive meanwhile.
   *
   * @throws the errors of a call; the reason of the signal when that is aborted
   */
  lines(filter?: LineFilter, options?: LineOptions): AsyncGenerator<Line, void, undefined>;
  /**
   * Exports all lines of a filter in the order of arrival. After a broken connection it continues where it was. The id
   * of the last line as `after_id` of another export continues with the lines that have arrived since.
   *
   * @throws the errors of a call; the reason of the signal when that is aborted
   */
  exportLines(options?: ExportOptions<LineExportFilter>): AsyncGenerator<Line, void, undefined>;
  /**
   * Exports the same as the text of a file, in pieces. It retries only before the first piece: a connection that breaks
   * later throws, and the text is incomplete.
   *
   * @throws the errors of a call; the reason of the signal when that is aborted
   */
  exportLinesText(
    format: ExportFormat,
    options?: ExportOptions<LineExportFilter>,
  ): AsyncGenerator<string, void, undefined>;
}

/** Options of a client of Quarterdeck. */
export interface QuarterdeckOptions extends ClientOptions {
  /** The `contract` of `@quarterdeck/sdk/contract`, for `checkAnswers`. */
  readonly contract?: QuarterdeckContract | undefined;
}

/**
 * Creates a client of a contract of your own, with the types of its schemas; sends nothing yet.
 *
 * @throws TypeError for an invalid url, or a credential that no header can carry
 */
export function createClient<C extends AnyContract>(
  options: ClientOptions & { readonly contract: C },
): ContractClient<C>;
/**
 * Creates a client of Quarterdeck; sends nothing yet.
 *
 * @throws TypeError for an invalid url, a credential that no header can carry, or `checkAnswers` without a contract
 */
export function createClient(options: QuarterdeckOptions): Client;
export function createClient(options: ClientOptions & { readonly contract?: Routes | undefined }): unknown {
  const { contract, checkAnswers } = options;
  if (checkAnswers === true && contract === undefined) {
    throw new TypeError('checkAnswers needs a contract, such as that of @quarterdeck/sdk/contract');
  }
  const transport = createTransport(options);
  const calls = Object.fromEntries(
    Object.entries<Routes[string]>(contract ?? ROUTES).map(([noun, table]) => [
      noun,
      Object.fromEntries(Object.entries(table).map(([verb, route]) => [verb, callOf(route, transport)])),
    ]),
  );
  if (contract === undefined) return { ...calls, ...streamsOf(transport) };
  return STREAMS in contract
    ? { ...calls, ...streamsOf(transport, (contract as QuarterdeckContract)[STREAMS]) }
    : calls;
}

/** Creates the methods of Quarterdeck that are no endpoints. */
function streamsOf(transport: Transport, schemas?: StreamSchemas): Omit<Client, keyof Calls> {
  const checked = transport.checkAnswers ? schemas : undefined;
  const { errlog, line } = checked?.rows ?? {};
  return {
    async *events<T extends SubscribableType = SubscribableType>(events?: EventOptions<T>) {
      yield* (await import('./events.ts')).openEvents(transport, events, checked?.events);
    },
    async *exportErrlog(how) {
      const { ERRLOG_EXPORT, exportRows } = await loadExports();
      yield* exportRows<ErrlogEntry>(transport, { ...ERRLOG_EXPORT, row: errlog }, how);
    },
    async *exportErrlogText(format, how) {
      const { ERRLOG_EXPORT, exportText } = await loadExports();
      yield* exportText(transport, { ...ERRLOG_EXPORT, row: errlog }, format, how);
    },
    async *lines(filter, how) {
      yield* (await import('./lines.ts')).readLines(transport, filter, how);
    },
    async *exportLines(how) {
      const { exportRows, LINE_EXPORT } = await loadExports();
      yield* exportRows<Line>(transport, { ...LINE_EXPORT, row: line }, how);
    },
    async *exportLinesText(format, how) {
      const { exportText, LINE_EXPORT } = await loadExports();
      yield* exportText(transport, { ...LINE_EXPORT, row: line }, format, how);
    },
  };
}

/** Loads the reader of long answers when it is first used: pages in browsers wait for every kilobyte of the client. */
const loadExports = () => import('./export.ts');

function callOf(endpoint: Route, transport: Transport) {
  const call = (input: EndpointInput = {}, options: CallOptions = {}): CallPromise<unknown> =>
    callPromise(transport.call(endpoint, input, options), ({ data }) => data);

  const pageOf = ({ data, headers }: Answer, input: EndpointInput): unknown => {
    if (endpoint.bareList !== true) return data;
    const total = headers.get('x-total-count');
    if (total === null || !/^\d{1,15}$/.test(total)) {
      throw new UnexpectedAnswerError(
        {
          reason: 'a list without its X-Total-Count',
          status: 200,
          contentType: headers.get('content-type') ?? undefined,
        },
        { method: endpoint.method, url: transport.address(endpoint.path, { params: input.params }) },
      );
    }
    return { data, meta: { count: Number(total) } };
  };
  const page = (input: EndpointInput = {}, options: CallOptions = {}): CallPromise<unknown> =>
    callPromise(transport.call(endpoint, input, options), (answer) => pageOf(answer, input));

  return Object.assign(call, { endpoint, page });
}
