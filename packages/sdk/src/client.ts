// The client: a walk over the contract. No method is written by hand.
import {
  type contract as Contract,
  contract,
  type Data,
  type Endpoint,
  type ErrlogEntry,
  type Input,
  mapContract,
  type Page,
  type Result,
} from '@quarterdeck/core';
import { UnexpectedAnswerError } from './errors.ts';
import { type EventOptions, type EventStream, openEvents, type SubscribableType } from './events.ts';
import { type ErrlogExportFormat, type ErrlogExportOptions, exportEntries, exportText } from './export.ts';
import { type CallOptions, type ClientOptions, createTransport, type Slots, type Transport } from './transport.ts';

// An endpoint without slots would take `{}`, which to TypeScript is anything at all.
type Slotted<E extends Endpoint> = [keyof Input<E>] extends [never] ? Record<string, never> : Input<E>;

/** What a call takes: the slots of its endpoint, where any of them must be filled, and what this call says differently. */
export type CallArguments<E extends Endpoint> =
  // biome-ignore lint/complexity/noBannedTypes: `{}` is meant: can an empty object stand in for the input?
  {} extends Input<E>
    ? [input?: Slotted<E> | undefined, options?: CallOptions | undefined]
    : [input: Input<E>, options?: CallOptions | undefined];

/**
 * One endpoint as a function. Resolves with `data` of the envelope, in the units of the wire.
 * Rejects with an ApiError, NetworkError, TimeoutError or UnexpectedAnswerError; with a TypeError for input that cannot
 * be sent; with the reason of the caller's signal when that is aborted.
 */
export interface Call<E extends Endpoint> {
  (...args: CallArguments<E>): Promise<Data<E>>;
  /** The contract's entry: method, path, who may call it. */
  readonly endpoint: E;
}

/** A list as a function. */
export interface ListCall<E extends Endpoint> extends Call<E> {
  /** The same, always with the number of all rows: `{ data: rows, meta: { count } }`. */
  page(...args: CallArguments<E>): Promise<Result<E>>;
}

type CallOf<E extends Endpoint> = Result<E> extends Page<unknown> ? ListCall<E> : Call<E>;

type Calls<C> = {
  readonly [N in keyof C]: { readonly [V in keyof C[N]]: C[N][V] extends Endpoint ? CallOf<C[N][V]> : never };
};

/** Every endpoint by noun and verb, the event stream, and the export. */
export interface Client extends Calls<typeof Contract> {
  /**
   * What happens on the server, as it happens, for as long as it is read. See {@link EventOptions}.
   * @throws ApiError where the credential is refused, UnexpectedAnswerError where this is not the event stream.
   */
  events<T extends SubscribableType = SubscribableType>(options?: EventOptions<T>): EventStream<T>;
  /**
   * All error logs of a filter with all their fields, the newest groups first; none is missed or comes twice, however
   * many there are and whatever happens meanwhile. Where the connection breaks it goes on where it was.
   * @throws what a call throws; the reason of the signal where that is aborted.
   */
  exportErrlog(options?: ErrlogExportOptions): AsyncGenerator<ErrlogEntry, void, undefined>;
  /**
   * The same as the text of a file, in pieces. Tried again only until the first piece is there: where the connection
   * breaks after that, it throws, and the text is not whole.
   * @throws what a call throws; the reason of the signal where that is aborted.
   */
  exportErrlogText(format: ErrlogExportFormat, options?: ErrlogExportOptions): AsyncGenerator<string, void, undefined>;
}

/**
 * Makes a client; sends nothing yet.
 * @throws TypeError for a wrong url, or a credential that no header can carry.
 */
export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options);
  const calls = mapContract(contract, (endpoint) => callOf(endpoint, transport));
  // The walk gives every leaf the same type; which endpoint is where is what `Client` says.
  return {
    ...calls,
    events: (events?: EventOptions) => openEvents(transport, events),
    exportErrlog: (how?: ErrlogExportOptions) => exportEntries(transport, how),
    exportErrlogText: (format: ErrlogExportFormat, how?: ErrlogExportOptions) => exportText(transport, format, how),
  } as unknown as Client;
}

function callOf(endpoint: Endpoint, transport: Transport) {
  const call = async (input: Slots = {}, options: CallOptions = {}): Promise<unknown> =>
    (await transport.call(endpoint, input, options)).data;

  const page = async (input: Slots = {}, options: CallOptions = {}): Promise<unknown> => {
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
