// The client: a walk over the contract. No method is written by hand.
import {
  type contract as Contract,
  contract,
  type Data,
  type Endpoint,
  type ErrlogEntry,
  type Input,
  type Line,
  mapContract,
  type Page,
  type Result,
} from '@quarterdeck/core';
import { UnexpectedAnswerError } from './errors.ts';
import { type EventOptions, type EventStream, openEvents, type SubscribableType } from './events.ts';
import {
  ERRLOG_EXPORT,
  type ErrlogExportFilter,
  type ExportFormat,
  type ExportOptions,
  exportRows,
  exportText,
  LINE_EXPORT,
  type LineExportFilter,
} from './export.ts';
import { type LineFilter, type LineOptions, readLines } from './lines.ts';
import {
  type CallOptions,
  type ClientOptions,
  createTransport,
  type EndpointInput,
  type Transport,
} from './transport.ts';

// Without slots the input would be `{}`, which TypeScript matches with anything.
type Slotted<E extends Endpoint> = [keyof Input<E>] extends [never] ? Record<string, never> : Input<E>;

/** Arguments of a call: the slots of its endpoint, optional when none is required, and options of this call. */
export type CallArguments<E extends Endpoint> =
  // biome-ignore lint/complexity/noBannedTypes: `{}` is meant: can an empty object stand in for the input?
  {} extends Input<E>
    ? [input?: Slotted<E> | undefined, options?: CallOptions | undefined]
    : [input: Input<E>, options?: CallOptions | undefined];

/**
 * One endpoint as a function. It resolves with `data` of the envelope, in the units of the wire. It rejects with an
 * ApiError, NetworkError, TimeoutError or UnexpectedAnswerError. Input that cannot be sent is a TypeError; an aborted
 * signal rejects with its reason.
 */
export interface Call<E extends Endpoint> {
  (...args: CallArguments<E>): Promise<Data<E>>;
  /** Entry of the contract: method, path, access. */
  readonly endpoint: E;
}

/** A list as a function. */
export interface ListCall<E extends Endpoint> extends Call<E> {
  /** Calls the list and always returns the total: `{ data: rows, meta: { count } }`. */
  page(...args: CallArguments<E>): Promise<Result<E>>;
}

type CallOf<E extends Endpoint> = Result<E> extends Page<unknown> ? ListCall<E> : Call<E>;

type Calls<C> = {
  readonly [N in keyof C]: { readonly [V in keyof C[N]]: C[N][V] extends Endpoint ? CallOf<C[N][V]> : never };
};

/** Every endpoint by noun and verb, the event stream, and the exports. */
export interface Client extends Calls<typeof Contract> {
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

/**
 * Creates a client; sends nothing yet.
 *
 * @throws TypeError for an invalid url, or a credential that no header can carry
 */
export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options);
  const calls = mapContract(contract, (endpoint) => callOf(endpoint, transport));
  // The walk gives every leaf the same type; `Client` has the type of each endpoint.
  return {
    ...calls,
    events: (events?: EventOptions) => openEvents(transport, events),
    exportErrlog: (how?: ExportOptions<object>) => exportRows<ErrlogEntry>(transport, ERRLOG_EXPORT, how),
    exportErrlogText: (format: ExportFormat, how?: ExportOptions<object>) =>
      exportText(transport, ERRLOG_EXPORT, format, how),
    lines: (filter?: LineFilter, how?: LineOptions) => readLines(transport, filter, how),
    exportLines: (how?: ExportOptions<object>) => exportRows<Line>(transport, LINE_EXPORT, how),
    exportLinesText: (format: ExportFormat, how?: ExportOptions<object>) =>
      exportText(transport, LINE_EXPORT, format, how),
  } as unknown as Client;
}

function callOf(endpoint: Endpoint, transport: Transport) {
  const call = async (input: EndpointInput = {}, options: CallOptions = {}): Promise<unknown> =>
    (await transport.call(endpoint, input, options)).data;

  const page = async (input: EndpointInput = {}, options: CallOptions = {}): Promise<unknown> => {
    const { data, headers } = await transport.call(endpoint, input, options);
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

  return Object.assign(call, { endpoint, page });
}
