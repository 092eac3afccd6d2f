// An engine of containers on a real socket, with the answers of Docker to the requests that the agent sends.
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary.ts';

const NANOS = 1_000_000_000n;

/** A piece of output, as the engine stores it. */
interface Stored {
  /** Nanoseconds since 1970. */
  readonly time: bigint;
  readonly stream: 1 | 2;
  /** With its line break unless the line goes on. */
  readonly bytes: Buffer;
}

/** A container of the fake engine. */
export interface FakeContainer {
  readonly id: string;
  name: string;
  tty: boolean;
  state: string;
  status: string;
  stored: Stored[];
}

/** Docker's text of a time. */
const timeText = (time: bigint): string =>
  `${new Date(Number(time / 1_000_000n)).toISOString().slice(0, 19)}.${String(time % NANOS).padStart(9, '0')}Z`;

/** One frame of the stream without a terminal. */
export function frame(stream: number, payload: string | Buffer): Buffer {
  const head = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
  const bytes = Buffer.from(payload);
  head.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([head, bytes]);
}

/** Starts an engine without containers. */
export async function startFakeEngine() {
  const socket = join(await temporaryFolder(), 'docker.sock');
  const containers = new Map<string, FakeContainer>();
  const followers = new Map<ServerResponse, FakeContainer>();
  const requests: string[] = [];
  let server: Server | undefined;
  let lastTime = 0n;

  const encode = ({ tty }: FakeContainer, { time, stream, bytes }: Stored): Buffer => {
    const payload = Buffer.concat([Buffer.from(`${timeText(time)} `), bytes]);
    return tty ? payload : frame(stream, payload);
  };

  function logs(one: FakeContainer, since: string, response: ServerResponse): void {
    if (engine.logStatus !== 200) return void response.writeHead(engine.logStatus).end('{}');
    response.writeHead(200, { 'content-type': 'application/vnd.docker.raw-stream' });
    response.flushHeaders();
    const [seconds = '0', nanos = ''] = since.split('.');
    const from = BigInt(seconds) * NANOS + BigInt(nanos.padEnd(9, '0'));
    const first = one.stored.findIndex(({ time }) => time >= from);
    for (const stored of first < 0 ? [] : one.stored.slice(first)) response.write(encode(one, stored));
    if (one.state !== 'running') return void response.end();
    followers.set(response, one);
    response.on('close', () => followers.delete(response));
  }

  async function answer(method: string, url: string, response: ServerResponse): Promise<void> {
    requests.push(`${method} ${url.replace(/since=.*/, 'since=')}`);
    if (url === '/containers/json?all=1') {
      await engine.list;
      const list = [...containers.values()].map(({ id, name, state, status }) => ({
        Id: id,
        Names: [`/${name}`],
        State: state,
        Status: status,
      }));
      return void response.end(JSON.stringify(list));
    }
    const [, id = '', what, since = ''] =
      /^\/containers\/(\w+)\/(json|logs\?stdout=1&stderr=1&timestamps=1&follow=1&since=([\d.]+))$/.exec(url) ?? [];
    const one = containers.get(id);
    if (one === undefined) return void response.writeHead(404).end('{}');
    if (what === 'json') return void response.end(JSON.stringify({ Config: { Tty: one.tty } }));
    logs(one, since, response);
  }

  const engine = {
    socket,
    requests,
    logStatus: 200,
    /** The list of containers is answered when this resolves. */
    list: Promise.resolve(),
    async start(): Promise<void> {
      server = createServer((request, response) => void answer(request.method ?? '', request.url ?? '', response));
      server.listen(socket);
      await once(server, 'listening');
    },
    /** Ends like a killed engine: connections break. */
    async stop(): Promise<void> {
      server?.close();
      server?.closeAllConnections();
      await rm(socket, { force: true });
    },
    run(name: string, settings: Partial<FakeContainer> = {}): FakeContainer {
      const id = Buffer.from(name.padEnd(16)).toString('hex');
      const one = { id, name, tty: false, state: 'running', status: 'Up 5 minutes', stored: [], ...settings };
      containers.set(id, one);
      return one;
    },
    remove: (one: FakeContainer) => void containers.delete(one.id),
    /** Ends a container as Docker does: those who follow it get the end of its output. */
    exit(one: FakeContainer, status = 'Exited (0) 2 seconds ago'): void {
      Object.assign(one, { state: 'exited', status });
      for (const [response, of] of followers) if (of === one) response.end();
    },
    /** Writes pieces of output; those of one call have times one nanosecond apart, or one time. */
    write(
      one: FakeContainer,
      texts: readonly (string | Buffer)[],
      { stream = 1 as 1 | 2, sameTime = false } = {},
    ): void {
      const now = BigInt(Date.now()) * 1_000_000n;
      // The clock of the host may stand still between two calls, and its time must not go back.
      if (now > lastTime) lastTime = now;
      for (const [at, text] of texts.entries()) {
        if (!sameTime || at === 0) lastTime += 1n;
        const stored = { time: lastTime, stream, bytes: Buffer.from(text) };
        one.stored.push(stored);
        for (const [response, of] of followers) if (of === one) response.write(encode(one, stored));
      }
    },
    /** Sends bytes as they are to those who follow. */
    send(bytes: Buffer): void {
      for (const response of followers.keys()) response.write(bytes);
    },
    get followers(): number {
      return followers.size;
    },
  };
  await engine.start();
  onTestFinished(() => engine.stop());
  return engine;
}

export type FakeEngine = Awaited<ReturnType<typeof startFakeEngine>>;
