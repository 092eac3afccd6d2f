// The event stream of a fake.
import {
  compileFilter,
  EVENT_TYPES,
  EVENTS,
  type EventType,
  type FilterableLine,
  type Line,
  type LineTest,
  parseFilter,
  TYPES_BY_NAME,
  unixSeconds,
} from '@quarterdeck/core';
import type * as z from 'zod';

/** Data of the events of one type. */
export type EventData<T extends EventType> = z.output<(typeof EVENTS)[T]>;

/** Selection of a stream: types with commas, and a filter that applies to lines. */
export interface StreamQuery {
  readonly types?: string | undefined;
  readonly filter?: string | undefined;
}

/** The open connections of a fake. */
export interface EventStreams {
  /** Number of open connections. */
  readonly open: number;
  /** @throws TypeError for data that does not fit the contract */
  emit<T extends EventType>(type: T, data: EventData<T>): void;
  /** Answers with a stream that continues after an event. */
  connect(query: StreamQuery, lastEventId: string | null, signal: AbortSignal): Response;
  /** Ends all connections. */
  end(): void;
}

/** Events kept for clients that connect again. */
const KEPT_MAX = 1_000;

interface Sent {
  readonly id: number;
  readonly type: EventType;
  readonly data: unknown;
  readonly text: string;
}

interface Connection {
  readonly types: readonly string[];
  readonly isWanted: LineTest;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
}

const BY_DEFAULT = EVENT_TYPES.filter((type) => !TYPES_BY_NAME.includes(type));

const filterable = (line: Line): FilterableLine => ({ ...line, fields: () => line.fields });

/** Creates the event stream of a fake. */
export function createEventStreams(): EventStreams {
  const connections = new Set<Connection>();
  const encoder = new TextEncoder();
  let sent: readonly Sent[] = [];
  let lastId = 0;

  const send = ({ types, isWanted, controller }: Connection, { type, data, text }: Sent): void => {
    if (type === 'line' && !isWanted(filterable(data as Line))) return;
    if (type === 'resync' || types.includes(type)) controller.enqueue(encoder.encode(text));
  };

  return {
    get open() {
      return connections.size;
    },
    emit(type, data) {
      const result = EVENTS[type].safeParse(data);
      if (!result.success)
        throw new TypeError(`the data of ${type} does not fit the contract: ${result.error.message}`);
      lastId += 1;
      const event = {
        id: lastId,
        type,
        data,
        text: `id: ${lastId}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`,
      };
      sent = [...sent, event].slice(-KEPT_MAX);
      for (const connection of connections) send(connection, event);
    },
    connect({ types, filter = '' }, lastEventId, signal) {
      let leave = (): boolean => false;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          const isWanted = compileFilter(parseFilter(filter), unixSeconds(Date.now()));
          const connection = { types: types?.split(',') ?? BY_DEFAULT, isWanted, controller };
          connections.add(connection);
          leave = () => connections.delete(connection);
          controller.enqueue(encoder.encode(': hello\n\n'));
          const after = lastEventId === null ? lastId : Number(lastEventId);
          for (const event of sent.filter(({ id }) => id > after)) send(connection, event);
          signal.addEventListener('abort', () => {
            if (leave()) controller.error(signal.reason);
          });
        },
        cancel: () => void leave(),
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
    end() {
      for (const { controller } of connections) controller.close();
      connections.clear();
    },
  };
}
