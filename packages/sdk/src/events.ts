// The event stream: connects, resumes at its position, and detects silence.
import { errorClass } from '@quarterdeck/core/plain';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { EVENT_TYPES, type EventQuery, type EventType, type QuarterdeckEvent } from './generated/nouns.ts';
import { checkData, type RequestContext, readAnswer, unexpected } from './request/answer.ts';
import { openBody } from './request/body-reader.ts';
import { type Clock, sleep } from './request/clock.ts';
import { ClientError, UnexpectedAnswerError } from './request/errors.ts';
import { type HeaderOptions, headersOf } from './request/headers.ts';
import { answerOf, isTemporary, retryAfterOf } from './request/retry.ts';
import type { StreamSchemas } from './request/route.ts';
import type { Transport } from './request/transport.ts';

const PATH = '/admin-api/events';
/** The server sends something every 15 s; three times that without a byte means a dead connection. */
const SILENCE_MS = 45_000;
/** First wait before a reconnect, unless the server sends `retry:`. */
const RETRY_MS = 1_000;
const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 30_000;
/** Upper limit of an honored `Retry-After`: a stream waits unattended. */
const RETRY_AFTER_MAX_MS = 60_000;
/** Longest event, in UTF-16 units. A log line is at most 16 KiB. */
const EVENT_MAX = 1_048_576;

/** An event type that can be requested; `resync` comes with any of them, and `line.missed` with `line`. */
export type SubscribableType = Exclude<EventType, 'resync' | 'line.missed'>;

/** Events that a subscription to these types receives. */
export type EventOf<T extends EventType = EventType> = Extract<
  QuarterdeckEvent,
  { readonly type: T | 'resync' | ('line' extends T ? 'line.missed' : never) }
>;

/** State of the connection to the event stream. */
export type EventStatus = 'connecting' | 'open' | 'lost';

/** Details of an {@link EventStatus}. */
export interface EventStatusDetail {
  /** Attempts since data last arrived; 0 when a working connection was lost. */
  readonly attempt: number;
  /** `lost`: milliseconds until the next attempt. */
  readonly retryInMs?: number;
  /** `lost`: the failure; absent when the server just ended the stream. */
  readonly error?: ClientError;
}

/** Filter for lines and for the events about error logs. */
export type EventFilter = Omit<EventQuery, 'types'>;

/** Options of an event stream. */
export interface EventOptions<T extends SubscribableType = SubscribableType>
  extends Pick<HeaderOptions, 'headers' | 'traceparent'> {
  /** Requested types, always with `resync`; by default all but `line`. */
  readonly types?: readonly T[] | undefined;
  /** Restricts lines and error logs as the lists do: `filter` is the filter language, `state` comma-separated. */
  readonly filter?: EventFilter | undefined;
  /** `id` of the last event seen, to continue after it; without it the stream begins now. */
  readonly lastEventId?: string | undefined;
  /** Maximum wait between two attempts in milliseconds, unless the server asks for more; 30,000 by default. */
  readonly retryMaxMs?: number | undefined;
  /** Ends the stream without an error when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the connection is attempted, open, or lost. Must not throw. */
  readonly onStatus?: ((status: EventStatus, detail: EventStatusDetail) => void) | undefined;
}

/** Events as they arrive; see `Client.events`. */
export type EventStream<T extends EventType = EventType> = AsyncGenerator<EventOf<T>, void, undefined>;

/** Position in the stream, kept across connections. */
interface Position {
  lastEventId: string;
  retryMs: number;
}

interface Connection {
  /** Reads the next messages, possibly none yet; undefined when the stream has ended. */
  read(): Promise<EventSourceMessage[] | undefined>;
  close(): void;
}

/** See `Client.events`. With schemas, the data of each event is compared with that of its type. */
export async function* openEvents<T extends SubscribableType = SubscribableType>(
  transport: Transport,
  options: EventOptions<T> = {},
  schemas?: StreamSchemas['events'],
): EventStream<T> {
  const { clock } = transport;
  const { signal, lastEventId = '', retryMaxMs = RETRY_MAX_MS, onStatus } = options;
  if (!isHeaderText(lastEventId)) throw new TypeError('lastEventId has a character that an HTTP header cannot carry');
  const wanted: readonly string[] = options.types === undefined ? EVENT_TYPES : withCompanions(options.types);
  const types = options.types === undefined ? undefined : wanted.join(',');
  const url = transport.address(PATH, { query: { ...options.filter, types } });
  const position: Position = { lastEventId, retryMs: RETRY_MS };
  const own = headersOf(options);
  let wasOpen = false;

  for (let attempt = 1; !signal?.aborted; attempt += 1) {
    onStatus?.('connecting', { attempt });
    let error: ClientError | undefined;
    let connection: Connection | undefined;
    try {
      connection = await connect(transport, url, own, position, attempt, signal);
      // The protocol's 204 tells clients not to reconnect.
      if (connection === undefined) return;
      onStatus?.('open', { attempt });
      // Without a position the server cannot know which events were missed since the last connection.
      if (wasOpen && position.lastEventId === '') yield MISSED as EventOf<T>;
      wasOpen = true;
      for (;;) {
        const messages = await connection.read();
        if (messages === undefined) break;
        attempt = 0;
        for (const message of messages) {
          if (signal?.aborted) return;
          if (wanted.includes(message.event ?? '')) yield decode(message, schemas, url) as EventOf<T>;
        }
      }
    } catch (failure) {
      if (signal?.aborted) return;
      if (!(failure instanceof ClientError) || !isWorthRetrying(failure)) throw failure;
      error = failure;
    } finally {
      connection?.close();
    }
    if (signal?.aborted) return;
    const longestMs = Math.min(retryMaxMs, position.retryMs * 2 ** Math.max(0, attempt - 1));
    const retryInMs = waitMs(longestMs, retryAfterOf(error), clock.random());
    onStatus?.('lost', { attempt, retryInMs, ...(error === undefined ? {} : { error }) });
    try {
      await sleep(clock, retryInMs, signal);
    } catch {
      // Only the signal ends the wait early, and that ends the stream.
      return;
    }
  }
}

/** Types that come with the requested ones. */
const withCompanions = (types: readonly SubscribableType[]): EventType[] => [
  ...types,
  ...(types.includes('line') ? (['line.missed'] as const) : []),
  'resync',
];

/** Opens one connection; undefined when the server tells clients not to reconnect. */
function connect(
  transport: Transport,
  url: string,
  own: Readonly<Record<string, string>>,
  position: Position,
  attempt: number,
  signal: AbortSignal | undefined,
): Promise<Connection | undefined> {
  const { lastEventId } = position;
  const place = lastEventId === '' ? {} : { 'last-event-id': lastEventId };
  const headers = { accept: 'text/event-stream', ...own, ...place };
  return transport.attempt(
    { method: 'GET', url, headers, signal, timeoutMs: transport.limits({}).timeoutMs, attempt },
    async (response, question) => {
      if (response.status === 204) return undefined;
      const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
      if (response.status === 200 && isStream && response.body !== null) {
        return openConnection(response.body, transport.clock, position, question, signal);
      }
      await readAnswer(response, question);
      throw unexpected('not an event stream', response, question);
    },
  );
}

function openConnection(
  body: ReadableStream<Uint8Array>,
  clock: Clock,
  position: Position,
  question: RequestContext,
  signal: AbortSignal | undefined,
): Connection {
  const reader = openBody(body, question, { clock, silenceMs: SILENCE_MS, signal });
  let inbox: EventSourceMessage[] = [];
  let tooLong = false;
  const parser = createParser({
    maxBufferSize: EVENT_MAX,
    onId: (id) => {
      // An id that cannot be sent back is not a position.
      if (isHeaderText(id)) position.lastEventId = id;
    },
    onRetry: (ms) => {
      position.retryMs = Math.max(RETRY_MIN_MS, ms);
    },
    onEvent: (message) => inbox.push({ ...message, id: message.id ?? position.lastEventId }),
    onError: ({ type }) => {
      tooLong ||= type === 'max-buffer-size-exceeded';
    },
  });
  return {
    async read() {
      const text = await reader.read();
      if (text === undefined) return undefined;
      inbox = [];
      parser.feed(text);
      if (tooLong) throw broken(`an event of more than ${EVENT_MAX} characters`, question.target.url);
      return inbox;
    },
    close: reader.close,
  };
}

/** Decodes one message of a known type. */
function decode(
  { id = '', event, data }: EventSourceMessage,
  schemas: StreamSchemas['events'] | undefined,
  url: string,
): QuarterdeckEvent {
  const type = event as EventType;
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw broken(`the data of an event ${type} is not JSON`, url);
  }
  const schema = schemas?.[type];
  const fault = schema === undefined ? undefined : checkData(value, schema);
  if (fault !== undefined) throw broken(`${type}: ${fault}`, url);
  return { id, type, data: value } as QuarterdeckEvent;
}

/** Sent by the client itself when the server cannot know that events were missed. */
const MISSED: QuarterdeckEvent = {
  id: '',
  type: 'resync',
  data: { reason: 'the connection was lost before the first event', of: 'all' },
};

function broken(reason: string, url: string): UnexpectedAnswerError {
  const target = { method: 'GET', url: url.replace(/\?.*$/s, '') };
  return new UnexpectedAnswerError({ reason, status: 200, contentType: 'text/event-stream' }, target);
}

/**
 * Reports whether to reconnect: after temporary failures and those of the server, but not after a refusal or an answer
 * of something else.
 */
function isWorthRetrying(failure: ClientError): boolean {
  const answer = answerOf(failure);
  return isTemporary(failure) || (answer !== undefined && errorClass(answer.status, answer.code) === 'server');
}

/**
 * Waits between half and all of the maximum, which doubles with each attempt, so that a server that hangs up at once is
 * not flooded.
 */
function waitMs(longestMs: number, retryAfterMs: number | undefined, random: number): number {
  const backoffMs = longestMs * (0.5 + random / 2);
  return Math.max(backoffMs, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
}

const isHeaderText = (text: string): boolean => /^[\x21-\x7e]*$/.test(text);
