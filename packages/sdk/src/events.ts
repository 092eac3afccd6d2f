// The event stream, for as long as somebody reads it: connects, resumes where it was, notices silence.
import {
  EVENT_TYPES,
  EVENTS,
  type EventQuery,
  type EventType,
  errorClass,
  type QuarterdeckEvent,
} from '@quarterdeck/core';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { checkData, type Question, readAnswer, unexpected } from './answer.ts';
import { openBody } from './body-reader.ts';
import { type Clock, sleep } from './clock.ts';
import { ClientError, UnexpectedAnswerError } from './errors.ts';
import { answerOf, isPassing, retryAfterOf } from './retry.ts';
import type { Transport } from './transport.ts';

const PATH = '/admin-api/events';
/** The server says something every 15 s; three times that without a byte is a dead connection. */
const SILENCE_MS = 45_000;
/** First wait before a lost connection is made again, unless the server says otherwise with `retry:`. */
const RETRY_MS = 1_000;
const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 30_000;
/** A stream is waited for without anybody looking, so even a long `Retry-After` is kept to only this far. */
const RETRY_AFTER_MAX_MS = 60_000;
/** Longest event, in UTF-16 units. A log line is at most 16 KiB. */
const EVENT_MAX = 1_048_576;

/** A type of event that can be asked for; `resync` comes with any of them. */
export type SubscribableType = Exclude<EventType, 'resync'>;

/** The events that a subscription to these types brings. */
export type EventOf<T extends EventType = EventType> = Extract<QuarterdeckEvent, { readonly type: T | 'resync' }>;

/** What a connection to the event stream is doing. */
export type EventStatus = 'connecting' | 'open' | 'lost';

/** More about an {@link EventStatus}. */
export interface EventStatusDetail {
  /** Attempts since data last came in; 0 where a connection that worked was lost. */
  readonly attempt: number;
  /** `lost`: when the next attempt begins, milliseconds from now. */
  readonly retryInMs?: number;
  /** `lost`: how, unless the server just ended the stream. */
  readonly error?: ClientError;
}

/** What the events about error logs can be narrowed by. */
export type EventFilter = Omit<EventQuery, 'types'>;

/** How to read the event stream. */
export interface EventOptions<T extends SubscribableType = SubscribableType> {
  /** Only these, and `resync`; all by default. */
  readonly types?: readonly T[] | undefined;
  /** Of error logs only those that the list would show with this filter; `state` as in the list, with commas. */
  readonly filter?: EventFilter | undefined;
  /** `id` of the last event that was seen, to go on after it; without it the stream begins now. */
  readonly lastEventId?: string | undefined;
  /** Longest wait between two attempts where the server asks for no longer one, milliseconds; 30,000 by default. */
  readonly retryMaxMs?: number | undefined;
  /** Aborting it ends the stream, quietly. */
  readonly signal?: AbortSignal | undefined;
  /** Told when the connection is tried, open, or lost. Must not throw. */
  readonly onStatus?: ((status: EventStatus, detail: EventStatusDetail) => void) | undefined;
}

/** Events as they come; see `Client.events`. */
export type EventStream<T extends EventType = EventType> = AsyncGenerator<EventOf<T>, void, undefined>;

/** Where a stream is; outlives its connections. */
interface Position {
  lastEventId: string;
  retryMs: number;
}

/** One connection. */
interface Connection {
  /** The next messages, maybe none of them complete yet; undefined when the stream has ended. */
  read(): Promise<EventSourceMessage[] | undefined>;
  close(): void;
}

/** See `Client.events`. */
export async function* openEvents<T extends SubscribableType = SubscribableType>(
  transport: Transport,
  options: EventOptions<T> = {},
): EventStream<T> {
  const { clock } = transport;
  const { signal, lastEventId = '', retryMaxMs = RETRY_MAX_MS, onStatus } = options;
  if (!isHeaderText(lastEventId)) throw new TypeError('lastEventId has a character that an HTTP header cannot carry');
  const wanted: readonly string[] = options.types === undefined ? EVENT_TYPES : [...options.types, 'resync'];
  const types = options.types === undefined ? undefined : wanted.join(',');
  const url = transport.address(PATH, { query: { ...options.filter, types } });
  const position: Position = { lastEventId, retryMs: RETRY_MS };
  let wasOpen = false;

  for (let attempt = 1; !signal?.aborted; attempt += 1) {
    onStatus?.('connecting', { attempt });
    let error: ClientError | undefined;
    let connection: Connection | undefined;
    try {
      connection = await connect(transport, url, position, attempt, signal);
      // 204 is the protocol's way to say: do not come back.
      if (connection === undefined) return;
      onStatus?.('open', { attempt });
      // Without a position the server cannot know what happened since the last connection.
      if (wasOpen && position.lastEventId === '') yield MISSED as EventOf<T>;
      wasOpen = true;
      for (;;) {
        const messages = await connection.read();
        if (messages === undefined) break;
        attempt = 0;
        for (const message of messages) {
          if (signal?.aborted) return;
          if (wanted.includes(message.event ?? '')) yield decode(message, transport, url) as EventOf<T>;
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
      // Only the signal wakes it early, and that ends the stream.
      return;
    }
  }
}

/** Opens one connection; undefined where the server wants no more of them. */
function connect(
  transport: Transport,
  url: string,
  position: Position,
  attempt: number,
  signal: AbortSignal | undefined,
): Promise<Connection | undefined> {
  const { lastEventId } = position;
  const headers = { accept: 'text/event-stream', ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }) };
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
  question: Question,
  signal: AbortSignal | undefined,
): Connection {
  const reader = openBody(body, question, { clock, silenceMs: SILENCE_MS, signal });
  let inbox: EventSourceMessage[] = [];
  let tooLong = false;
  const parser = createParser({
    maxBufferSize: EVENT_MAX,
    onId: (id) => {
      // An id that cannot be sent back is no position.
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

/** Reads one message of a known type. */
function decode({ id = '', event, data }: EventSourceMessage, transport: Transport, url: string): QuarterdeckEvent {
  const type = event as EventType;
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw broken(`the data of an event ${type} is not JSON`, url);
  }
  const fault = transport.checkAnswers ? checkData(value, EVENTS[type]) : undefined;
  if (fault !== undefined) throw broken(`${type}: ${fault}`, url);
  return { id, type, data: value } as QuarterdeckEvent;
}

/** What the stream says itself where the server cannot know that something was missed. */
const MISSED: QuarterdeckEvent = {
  id: '',
  type: 'resync',
  data: { reason: 'the connection was lost before the first event', of: 'all' },
};

function broken(reason: string, url: string): UnexpectedAnswerError {
  const target = { method: 'GET', url: url.replace(/\?.*$/s, '') };
  return new UnexpectedAnswerError({ reason, status: 200, contentType: 'text/event-stream' }, target);
}

/** A server in trouble is waited for; one that refuses, or is none of ours, will not change its mind. */
function isWorthRetrying(failure: ClientError): boolean {
  const answer = answerOf(failure);
  return isPassing(failure) || (answer !== undefined && errorClass(answer.status, answer.code) === 'server');
}

/** At least half of the longest wait, which doubles with each attempt: a server that hangs up at once is not hammered. */
function waitMs(longestMs: number, retryAfterMs: number | undefined, random: number): number {
  const backoffMs = longestMs * (0.5 + random / 2);
  return Math.max(backoffMs, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
}

const isHeaderText = (text: string): boolean => /^[\x21-\x7e]*$/.test(text);
