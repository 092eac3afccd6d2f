// Server-sent events (WHATWG HTML, section 9.2) to one subscriber.
import type { EventType, LinesMissed } from '@quarterdeck/core';
import { ANSWER_HEADERS, holdUnsent, UNSENT_MAX, unsentBytes } from '@quarterdeck/express/parts';
import type { Request, Response } from 'express';
import type { EventBus } from '../features/event/event.bus.ts';
import type { StoredEvent } from '../features/event/event.repo.ts';
import type { LiveFilter } from '../features/line/live-filter.ts';
import type { LineSubscription, LiveLines } from '../features/line/live-lines.ts';
import { takesMore } from './drained.ts';

const PING_MS = 15_000;
/** Lifetime of a stream, so that balancers can move clients; they reconnect with Last-Event-ID. */
const LIFE_MS = 30 * 60_000;
/** Bytes that may wait for a slow reader; further events wait for it. */
const BUFFER_MAX = 1024 * 1024;
const RETRY_MS = 2_000;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  ...ANSWER_HEADERS,
  // nginx would otherwise delay events until its buffer is full.
  'X-Accel-Buffering': 'no',
};

const message = (id: string, type: string, data: string) => `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;

export interface StreamDeps {
  readonly events: EventBus;
  readonly liveLines: LiveLines;
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
}

/** Selection of events for a subscriber. */
export interface Wanted {
  readonly types: ReadonlySet<EventType>;
  readonly dataFor: (event: StoredEvent) => string | undefined;
  /** Awaited with events that have just been read, before they are passed to `dataFor`. */
  readonly prepare?: ((events: readonly StoredEvent[]) => Promise<void>) | undefined;
  /** Wanted lines; undefined for none. */
  readonly lines: LiveFilter | undefined;
}

/**
 * Sends events until the client leaves, its credential ends, or the server stops. `watch` gets a function that ends the
 * stream, and returns one that stops watching.
 */
export async function streamEvents(
  deps: StreamDeps,
  req: Request,
  res: Response,
  { types, dataFor, prepare, lines }: Wanted,
  watch: (end: () => void) => () => void,
): Promise<void> {
  // The client left during the check of its credential: `close` was emitted and will not come again.
  if (res.destroyed) return;
  const begin = () => {
    if (!res.headersSent) res.writeHead(200, HEADERS).write(`retry: ${RETRY_MS}\n\n`);
  };
  const noteUnsent = () => holdUnsent(res, res.writableLength);
  const send = (text: string) => {
    if (res.writableEnded || res.destroyed) return;
    begin();
    res.write(text);
    noteUnsent();
  };
  const end = () => res.end();
  if (req.method === 'HEAD') {
    begin();
    return void end();
  }

  const place = readPlace(req);
  // A position without lines, from a client that now asks for them, says nothing about lines.
  let linePosition = lines === undefined ? undefined : (place?.line ?? (await deps.liveLines.position()));
  if (res.destroyed) return;
  let eventPosition = 0;
  const position = () => (linePosition === undefined ? `${eventPosition}` : `${eventPosition}-${linePosition}`);

  let stop = () => {};
  let tail: LineSubscription | undefined;
  const ping = setInterval(() => {
    linePosition = tail?.position() ?? linePosition;
    // Otherwise a client that reconnects, and whose filter few lines match, would have many lines searched again.
    send(tail === undefined ? ': ping\n\n' : `: ping\nid: ${position()}\n\n`);
  }, PING_MS);
  const life = setTimeout(end, LIFE_MS);
  // A client that does not read keeps an ended answer open: the second attempt destroys it.
  const unwatch = watch(() => (res.writableEnded ? res.destroy() : end()));
  deps.stopping.addEventListener('abort', end);
  res.on('drain', noteUnsent);
  res.once('close', () => {
    stop();
    tail?.stop();
    unwatch();
    clearInterval(ping);
    clearTimeout(life);
    deps.stopping.removeEventListener('abort', end);
  });

  const subscription = {
    types,
    prepare,
    onEvent: (event: StoredEvent) => {
      const data = dataFor(event);
      if (data === undefined) return;
      eventPosition = event.id;
      send(message(position(), event.type, data));
    },
    isBehind: () => res.writableLength > (unsentBytes() < UNSENT_MAX ? BUFFER_MAX : 0),
    ready: () => takesMore(res),
    onLost: end,
  };
  const subscribed = await deps.events.subscribe(subscription, place?.event);
  stop = subscribed.stop;
  if (res.destroyed) return stop();
  eventPosition = Math.max(eventPosition, subscribed.position);
  // Sent last, so that the id never exceeds the sent events: a client without events resumes at its old position.
  send(`id: ${position()}\n\n`);
  if (lines !== undefined && linePosition !== undefined) {
    const sendAt = (id: number, type: EventType, data: string) => {
      linePosition = id;
      send(message(position(), type, data));
    };
    const subscriber = {
      filter: lines,
      onLine: (id: number, json: string) => sendAt(id, 'line', json),
      onMissed: (id: number, missed: LinesMissed) => sendAt(id, 'line.missed', JSON.stringify(missed)),
      isBehind: subscription.isBehind,
      ready: subscription.ready,
    };
    tail = await deps.liveLines.subscribe(subscriber, linePosition);
    if (res.destroyed) tail.stop();
  }
  if (deps.stopping.aborted) end();
}

/** Last event that a client has seen, and last line where it asked for lines. */
interface Place {
  readonly event: number;
  readonly line: number | undefined;
}

/** `Last-Event-ID` of a client that reconnects, such as `17` or `17-230`; an invalid one counts as the event -1. */
function readPlace(req: Request): Place | undefined {
  const value = req.headers['last-event-id'];
  if (typeof value !== 'string' || value === '') return undefined;
  const [, event, line] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(value) ?? [];
  return { event: event === undefined ? -1 : Number(event), line: line === undefined ? undefined : Number(line) };
}
