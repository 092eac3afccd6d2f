// Server-sent events (WHATWG HTML, section 9.2) to one subscriber.
import type { EventType } from '@quarterdeck/core';
import type { Request, Response } from 'express';
import type { Deps } from '../deps.ts';
import type { StoredEvent } from '../features/event/event.repo.ts';
import { ANSWER_HEADERS } from './send.ts';

const PING_MS = 15_000;
/** A stream ends by itself after this, so that balancers can move clients; they come back with Last-Event-ID. */
const LIFE_MS = 30 * 60_000;
/** Bytes that may wait for a slow reader. Beyond, it is told no more than it has room for. */
const BUFFER_MAX = 1024 * 1024;
const RETRY_MS = 2_000;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  ...ANSWER_HEADERS,
  // nginx would otherwise hold events back until its buffer is full.
  'X-Accel-Buffering': 'no',
};

const lines = (id: number, type: string, data: string) => `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;

/** What a stream needs of the server. */
export interface StreamDeps extends Pick<Deps, 'events'> {
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
}

/** What a subscriber is told of. */
export interface Wanted {
  readonly types: ReadonlySet<EventType>;
  readonly isWanted: (event: StoredEvent) => boolean;
}

/**
 * Sends events until the client leaves, loses its credential, or the server stops. `watch` is given the function that
 * ends the stream, and returns the one that stops watching.
 */
export async function streamEvents(
  deps: StreamDeps,
  req: Request,
  res: Response,
  { types, isWanted }: Wanted,
  watch: (end: () => void) => () => void,
): Promise<void> {
  // The client left while its credential was checked: `close` has been and will not come again.
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
  // A client that does not read keeps an ended answer open with what waits for it: the second time cuts it off.
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
  // Last, so that it never claims more than was sent: a client that sees no event at all comes back to where it was.
  send(`id: ${subscribed.position}\n\n`);
  if (deps.stopping.aborted) end();
}

/** Waits while as much is on its way to the client as it takes at once; false where it can be told nothing any more. */
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

/** `Last-Event-ID` of a client that comes back; anything that is not an id of ours counts as long ago. */
function readLastEventId(req: Request): number | undefined {
  const value = req.headers['last-event-id'];
  if (typeof value !== 'string' || value === '') return undefined;
  return /^\d{1,15}$/.test(value) ? Number(value) : -1;
}
