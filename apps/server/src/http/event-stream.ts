// Server-sent events (WHATWG HTML, section 9.2) to one subscriber.
import type { EventType } from '@quarterdeck/core';
import type { Request, Response } from 'express';
import type { StoredEvent } from '../features/event/event.repo.ts';
import type { RawDeps } from './raw.ts';

const PING_MS = 15_000;
/** A stream ends by itself after this, so that balancers can move clients; they come back with Last-Event-ID. */
const LIFE_MS = 30 * 60_000;
/** Bytes that may wait for a slow reader. Beyond, the stream is cut; the reader catches up when it comes back. */
const BUFFER_MAX = 1024 * 1024;
const RETRY_MS = 2_000;

const lines = (id: number, type: string, data: string) => `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;

/** Sends events until the client leaves, is too slow, loses its credential, or the server stops. */
export async function streamEvents(
  deps: RawDeps,
  req: Request,
  res: Response,
  types: ReadonlySet<EventType>,
): Promise<void> {
  const lastEventId = readLastEventId(req);
  const queue: StoredEvent[] = [];
  let begun = false;
  const send = (text: string) => {
    res.write(text);
    if (res.writableLength > BUFFER_MAX) res.destroy();
  };
  const onEvent = (event: StoredEvent) => {
    if (begun) send(lines(event.id, event.type, event.data));
    else queue.push(event);
  };
  const { missed, position, stop } = await deps.events.subscribe({ types, onEvent }, lastEventId);

  const end = () => res.end();
  const ping = setInterval(async () => {
    try {
      await deps.identify(req.headers);
      send(': ping\n\n');
    } catch {
      // The credential was revoked or has expired, or cannot be checked: the client comes back and is told why.
      end();
    }
  }, PING_MS);
  const life = setTimeout(end, LIFE_MS);
  deps.stopping.addEventListener('abort', end);
  res.once('close', () => {
    stop();
    clearInterval(ping);
    clearTimeout(life);
    deps.stopping.removeEventListener('abort', end);
  });

  res.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    // nginx would otherwise hold events back until its buffer is full.
    'X-Accel-Buffering': 'no',
  });
  begun = true;
  send(`retry: ${RETRY_MS}\n\n`);
  if (missed) send('event: resync\ndata: {"reason":"missed","of":"all"}\n\n');
  for (const event of queue) onEvent(event);
  // Last, so that it never claims more than was sent: a client that sees no event at all comes back to where it was.
  send(`id: ${position}\n\n`);
  if (deps.stopping.aborted) end();
}

/** `Last-Event-ID` of a client that comes back; anything that is not an id of ours counts as long ago. */
function readLastEventId(req: Request): number | undefined {
  const value = req.headers['last-event-id'];
  if (typeof value !== 'string' || value === '') return undefined;
  return /^\d{1,15}$/.test(value) ? Number(value) : -1;
}
