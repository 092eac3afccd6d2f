// `quarterdeck --demo`: a demo fleet behind the fetch of the real SDK. Nothing leaves this process.
import type { EventType } from '@quarterdeck/core';
import { addHistoryEntry, stepStory } from './agent-story.ts';
import { isInOutage } from './agents.ts';
import { exportEntries } from './export.ts';
import { makeEntry, makeFleet } from './fleet.ts';
import { createHandlers } from './handlers.ts';
import { createRandom, type Random } from './random.ts';
import { createResponder } from './respond.ts';

/** The demo. */
export interface Demo {
  readonly fetch: typeof fetch;
  /** Advances the demo by one step, as the timer does. */
  readonly tick: () => void;
}

/** Options of {@link createDemo}. */
export interface DemoOptions {
  readonly now?: () => number;
  readonly seed?: number;
  /** Interval of steps, milliseconds; 0: no timer. */
  readonly everyMs?: number;
}

const EVENTS_PATH = '/admin-api/events';
const EXPORT_PATH = '/admin-api/log_server/errlog/export';

/** Creates the fleet and its server. */
export function createDemo({ now = Date.now, seed = 7, everyMs = 900 }: DemoOptions = {}): Demo {
  const random: Random = createRandom(seed);
  const fleet = makeFleet(random, now());
  const respond = createResponder(createHandlers(fleet, now));
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const encoder = new TextEncoder();
  let eventId = 0;

  const emit = (type: EventType, data: unknown): void => {
    eventId += 1;
    const text = `id: ${eventId}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const stream of streams) stream.enqueue(encoder.encode(text));
  };

  const tick = (): void => {
    const nowS = Math.floor(now() / 1000);
    if (random.chance(0.35)) {
      const entry = makeEntry(random, fleet.errlog.length + 1, nowS);
      fleet.errlog = [entry, ...fleet.errlog];
      emit('errlog.new', entry);
    } else {
      const known = random.pick(fleet.errlog.slice(0, 60));
      const repeated = { ...known, count: known.count + random.whole(1, 9), log_time: nowS };
      fleet.errlog = [repeated, ...fleet.errlog.filter(({ id }) => id !== known.id)];
      emit('errlog.repeated', repeated);
    }
    fleet.agents = fleet.agents.map((agent) =>
      agent.online && nowS - agent.last_reported >= 30 ? { ...agent, last_reported: nowS - random.whole(0, 4) } : agent,
    );
    stepStory(fleet, random, nowS, emit);
    if (random.chance(0.02)) {
      const agent = random.pick(
        fleet.agents.filter((one) => (one.state === 'online' || one.state === 'offline') && !isInOutage(one)),
      );
      const online = !agent.online;
      const state = online ? ('online' as const) : ('offline' as const);
      const reason = online ? ('reporting' as const) : ('lost' as const);
      const changed = {
        ...agent,
        online,
        state,
        reason,
        state_since: nowS,
        ...(online ? { last_reported: nowS } : {}),
      };
      fleet.agents = fleet.agents.map((one) => (one.id === agent.id ? changed : one));
      addHistoryEntry(fleet, agent.id, state, nowS, { field: reason, from: agent.state ?? '', to: state });
      emit(`agent.${state}`, changed);
    }
  };

  const openStream = (signal: AbortSignal | undefined): Response => {
    let timer: NodeJS.Timeout | undefined;
    let own: ReadableStreamDefaultController<Uint8Array> | undefined;
    const end = (): void => {
      clearInterval(timer);
      if (own !== undefined) streams.delete(own);
    };
    signal?.addEventListener('abort', end, { once: true });
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        own = controller;
        streams.add(controller);
        controller.enqueue(encoder.encode(': hello\n\n'));
        if (everyMs > 0) timer = setInterval(tick, everyMs);
        // The timer must not keep the process alive.
        timer?.unref();
      },
      cancel: end,
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };

  return {
    tick,
    async fetch(input, init) {
      const url = new URL(String(input));
      init?.signal?.throwIfAborted();
      if (url.pathname === EVENTS_PATH) return openStream(init?.signal ?? undefined);
      if (url.pathname === EXPORT_PATH) return exportEntries(fleet.errlog, url.searchParams);
      const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
      return respond(init?.method ?? 'GET', url, body);
    },
  };
}
