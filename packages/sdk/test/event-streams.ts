// Event streams as a server writes them, and a subscriber under control of the test.
import type { ServerResponse } from 'node:http';
import {
  createClient,
  type EventStatus,
  type EventStatusDetail,
  type QuarterdeckEvent,
  type QuarterdeckOptions,
} from '../src/index.ts';
import type { Answer } from './start-server.ts';
import { type TestClock, testClock } from './test-clock.ts';

/** The credential of every subscriber. */
export const TOKEN = 'qd_t_events-test';

/** An event as the server writes it. */
export const written = (id: number, type = 'errlog.new') => `id: ${id}\nevent: ${type}\ndata: {"id":${id}}\n\n`;

/** The same as a subscriber receives it. */
export const got = (id: number, type = 'errlog.new') => ({ id: String(id), type, data: { id } });

/** Begins a stream with this text. */
export function open(response: ServerResponse, text = ''): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.write(`:hello\n\n${text}`);
}

/** A stream that sends this and stays open. */
export const stream =
  (text = ''): Answer =>
  (response) =>
    open(response, text);

/** A stream that sends this and ends. */
export const streamThenEnd =
  (text: string): Answer =>
  (response) => {
    open(response, text);
    response.end();
  };

/** A stream that sends this and breaks. */
export const streamThenBreak =
  (text: string): Answer =>
  (response) => {
    open(response);
    response.write(text, () => response.destroy());
  };

/** A subscription and its recorded effects. */
export interface Listening {
  readonly events: AsyncGenerator<QuarterdeckEvent, void, undefined>;
  readonly statuses: [EventStatus, EventStatusDetail][];
  readonly clock: TestClock;
  readonly abort: AbortController;
}

/** Subscribes, under a test clock. */
export function listen(url: string, options: object = {}, clientOptions: Partial<QuarterdeckOptions> = {}): Listening {
  const clock = testClock();
  const abort = new AbortController();
  const statuses: [EventStatus, EventStatusDetail][] = [];
  const client = createClient({ url, clock, apiToken: TOKEN, ...clientOptions });
  const onStatus = (status: EventStatus, detail: EventStatusDetail) => statuses.push([status, detail]);
  return { events: client.events({ signal: abort.signal, onStatus, ...options }), statuses, clock, abort };
}

/** Takes this many events and ends the stream. */
export async function take(count: number, { events }: Pick<Listening, 'events'>): Promise<QuarterdeckEvent[]> {
  const taken: QuarterdeckEvent[] = [];
  for await (const event of events) if (taken.push(event) === count) break;
  return taken;
}
