// A client of the event stream that reconnects with Last-Event-ID, and notes the changes that it received.
import { type ClientRequest, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const PATH = '/admin-api/events?types=change.created,agent.changed';
const AGAIN_MS = 200;
/** Time after which an event is lost. */
const ARRIVE_MAX_MS = 120_000;

export interface Failure {
  readonly outcome: number | string;
  /** Milliseconds of `performance.now()` at which it was sent. */
  readonly sentMs: number;
  /** Local port of its connection. */
  readonly port: number | undefined;
}

export interface Follower {
  /** Connections so far. */
  connections(): number;
  /** Waits for the events of these changes; returns what is missing, out of order, or came twice. */
  wrong(names: ReadonlySet<string>, client: string): Promise<string[]>;
  stop(): void;
}

/** Follows the events; resolves once the stream has begun. Calls `onFailure` where one was cut off or refused. */
export async function followEvents(
  url: string,
  session: string,
  onFailure: (failure: Failure) => void,
): Promise<Follower> {
  const seen: string[] = [];
  let [lastId, disorder, connections] = [0, 0, 0];
  let missed: string | undefined;
  let stopped = false;
  let request: ClientRequest | undefined;
  const begun = Promise.withResolvers<void>();

  function take(message: string): void {
    const id = Number(/^id: (\d+)$/m.exec(message)?.[1] ?? 0);
    const type = /^event: (\S+)$/m.exec(message)?.[1];
    if (id > 0) begun.resolve();
    if (id > 0 && type !== undefined && id <= lastId) disorder += 1;
    lastId = Math.max(lastId, id);
    const data = /^data: (.*)$/m.exec(message)?.[1] ?? '{}';
    const { name = '', reason = '' } = JSON.parse(data) as { name?: string; reason?: string };
    if (type === 'change.created') seen.push(name);
    // Only a start of a server is announced so; any other reason means that events were lost.
    if (type === 'resync' && reason !== 'restart') missed = reason;
  }

  /** One connection; resolves when it has ended. */
  const connect = () =>
    new Promise<void>((resolve) => {
      connections += 1;
      const headers = { 'edge-token': session, ...(lastId > 0 ? { 'Last-Event-ID': String(lastId) } : {}) };
      const sentMs = performance.now();
      let port: number | undefined;
      const failed = (outcome: number | string) => {
        if (!stopped) onFailure({ outcome, sentMs, port });
        resolve();
      };
      request = get(url + PATH, { headers, agent: false }, (res) => {
        if (res.statusCode !== 200) {
          res.resume();
          return failed(res.statusCode ?? 0);
        }
        let rest = '';
        res.setEncoding('utf8').on('data', (chunk: string) => {
          const messages = (rest + chunk).split('\n\n');
          rest = messages.pop() ?? '';
          for (const message of messages) take(message);
        });
        res.once('end', resolve);
        res.once('error', (error: NodeJS.ErrnoException) => failed(error.code ?? error.message));
      });
      request.once('socket', (socket) =>
        socket.once('connect', () => {
          port = socket.localPort;
        }),
      );
      request.once('error', (error: NodeJS.ErrnoException) => failed(error.code ?? error.message));
    });

  async function follow(): Promise<void> {
    while (!stopped) {
      await connect();
      await delay(AGAIN_MS);
    }
  }

  void follow();
  await begun.promise;
  return {
    connections: () => connections,
    async wrong(names, client) {
      const giveUpMs = performance.now() + ARRIVE_MAX_MS;
      const missing = () => [...names].filter((name) => !seen.includes(name));
      while (missing().length > 0 && performance.now() < giveUpMs) await delay(50);
      const twice = seen.length - new Set(seen).size;
      return [
        ...missing().map((name) => `${client}: was not seen of the change ${name}`),
        ...(twice > 0 || disorder > 0 ? [`${client}: ${twice} events came twice, ${disorder} out of order`] : []),
        ...(missed === undefined ? [] : [`${client}: lost events (${missed})`]),
      ];
    },
    stop() {
      stopped = true;
      request?.destroy();
    },
  };
}
