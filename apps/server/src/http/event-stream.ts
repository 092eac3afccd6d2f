// Server-sent events (WHATWG HTML, section 9.2) to one subscriber.
import type { EventType } from '@quarterdeck/core';
import type { Request, Response } from 'express';
import type { Deps } from '../deps.ts';
import type { StoredEvent } from '../features/event/event.repo.ts';
import { ANSWER_HEADERS } from './send.ts';

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

const lines = (id: number, type: string, data: string) => `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;

/** Dependencies of a stream. */
export interface StreamDeps extends Pick<Deps, 'events'> {
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
}

/** Selection of events for a subscriber. */
export interface Wanted {
  readonly types: ReadonlySet<EventType>;
  readonly isWanted: (event: StoredEvent) => boolean;
}

/**
 * Sends events until the client leaves, its credential ends, or the server stops. `watch` gets a function that ends the
 * stream, and returns one that stops watching.
 */
export async function streamEvents(
  deps: StreamDeps,
  req: Request,
  res: Response,
  { types, isWanted }: Wanted,
  watch: (end: () => void) => () => void,
): Promise<void> {
  // The client left during the check of its credential: `close` was emitted and will not come again.
  if (res.destroyed) return;
  const begin = () => {
    if (!res.headersSent) res.writeHead(200, HEADERS).write(`retry: ${RETRY_MS}\n\n`);
  };
  const send = (text: string) => {
    if (res.writableEnded || res.destroyed) return;
    begin();
    res.write(text);
  };
  const end = () => res.end();
  if (req.method === 'HEAD') {
    begin();
    return void end();
  }

  let stop = () => {};
  const ping = setInterval(() => send(': ping\n\n'), PING_MS);
  const life = setTimeout(end, LIFE_MS);
  // A client that does not read keeps an ended answer open: the second attempt destroys it.
  const unwatch = watch(() => (res.writableEnded ? res.destroy() : end()));
  deps.stopping.addEventListener('abort', end);
  res.once('close', () => {
    stop();
    unwatch();
    clearInterval(ping);
    clearTimeout(life);
    deps.stopping.removeEventListener('abort', end);
  });

  const subscription = {
    types,
    onEvent: (event: StoredEvent) => {
      if (isWanted(event)) send(lines(event.id, event.type, event.data));
    },
    isBehind: () => res.writableLength > BUFFER_MAX,
    ready: () => takesMore(res),
    onLost: end,
  };
  const subscribed = await deps.events.subscribe(subscription, readLastEventId(req));
  stop = subscribed.stop;
  if (res.destroyed) return stop();
  // Sent last, so that the id never exceeds the sent events: a client without events resumes at its old position.
  send(`id: ${subscribed.position}\n\n`);
  if (deps.stopping.aborted) end();
}

/** Waits until the client has room for more. Returns false once the stream has ended. */
async function takesMore(res: Response): Promise<boolean> {
  if (res.writableNeedDrain) {
    await new Promise<void>((resolve) => {
      const done = () => {
        res.off('drain', done);
        res.off('close', done);
        resolve();
      };
      res.on('drain', done);
      res.on('close', done);
    });
  }
  return !res.writableEnded && !res.destroyed;
}

/** `Last-Event-ID` of a client that reconnects; an invalid id counts as -1. */
function readLastEventId(req: Request): number | undefined {
  const value = req.headers['last-event-id'];
  if (typeof value !== 'string' || value === '') return undefined;
  return /^\d{1,15}$/.test(value) ? Number(value) : -1;
}
