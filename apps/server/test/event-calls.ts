// Calls and expected events for tests of the event stream.
import { EVENTS } from '../src/http/endpoints/raw-endpoints.ts';
import type { Heard } from './listen-events.ts';
import type { TestApi } from './start-api.ts';

/** An event about the error with this text. */
export const isAbout =
  (log: string, type = 'errlog.') =>
  (event: Heard) =>
    event.type.startsWith(type) && event.data.log === log;

/** An event about this agent. */
export const isOf =
  (agentId: number, type = 'agent.') =>
  (event: Heard) =>
    event.type.startsWith(type) && event.data.id === agentId;

/** Calls of one test file to its server. */
export function eventCalls(api: () => TestApi) {
  const append = (...logs: string[]) =>
    api().admin.errlog.append({
      body: logs.map((log) => ({ level: 4, log, log_time: Math.floor(api().now() / 1000) })),
    });

  /** The stored events: every subscriber must receive them. */
  async function ring(after = 0): Promise<Heard[]> {
    const rows = await api().server.deps.db.read.prisma.event.findMany({
      where: { id: { gt: after } },
      orderBy: { id: 'asc' },
    });
    return rows.map(({ id, type, data }) => ({ id: String(id), type: type as Heard['type'], data: JSON.parse(data) }));
  }

  /** The stream as bytes, for the parts that the client library hides. */
  async function openRaw(headers: Record<string, string> = {}, query = '', own = api()) {
    const response = await fetch(`${own.url}${EVENTS.path}${query}`, {
      headers: { 'edge-token': own.adminToken, ...headers },
    });
    const reader = (response.body ?? new Response('').body)?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    let ended = false;
    return {
      response,
      get text() {
        return text;
      },
      async until(fits: (text: string) => boolean): Promise<string> {
        while (!fits(text) && !ended) {
          const { value, done } = (await reader?.read()) ?? { value: '', done: true };
          text += value ?? '';
          ended = done;
        }
        return text;
      },
      cancel: () => reader?.cancel(),
    };
  }

  return { append, ring, openRaw };
}
