// A console on a real socket that gives prepared answers and records requests.
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import type { Facts, HostFacts } from '../src/facts/collect.ts';

/** Facts of an example host. */
export const HOST_FACTS: HostFacts = {
  hostname: 'web-1',
  ip: '192.0.2.7',
  env: 'host',
  system_name: 'Debian GNU/Linux 12 (bookworm)',
  bad_kernel: false,
  package: { version: 1000, timestamp: 1_700_000_000 },
  dependency: { stap_version: '', odb_version: '' },
  system_version: {
    kernel_package: 'linux-image-6.1.0-18-amd64 6.1.76-1',
    kernel_bid: '0123',
    kernel_distro: 'debian 12',
    libc: 'glibc 2.36',
    kernel: '6.1.0-18-amd64',
  },
  boot_time: 1_700_000_100,
  started: 1_700_000_200,
};

/** Facts that an agent on that host reports. */
export const FACTS: Facts = { ...HOST_FACTS, progress: { current: 0, detail: '' } };

/** A recorded request. */
interface Seen {
  /** `register`, `heartbeat` or `shutdown`. */
  readonly what: string;
  readonly path: string;
  readonly token: string | undefined;
  /** JSON, or the list of objects of NDJSON. */
  readonly body: unknown;
  /** Content type of a batch of lines. */
  readonly type?: string | undefined;
  readonly encoding?: string | undefined;
  readonly key?: string | undefined;
  /** Numbers of a batch. */
  readonly numbers?: unknown;
}

/** Answer to one request. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is text. */
  readonly body: unknown;
}

/** `hang`: never answers. `cut`: the connection breaks. */
type Answer = Reply | 'hang' | 'cut';

/** A secret that no log may contain; each enrollment gets another one. */
export const secretNumber = (n: number): string => `qd_a_${'CanarySecret'.padEnd(48, 'x')}${n}`;

/** A refusal in the console's envelope. */
export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: { status, msg: 'No.', time: 1, err: { code, request_id: 'r' } },
});

/** A success in the console's envelope. */
export const success = (data: unknown): Reply => ({ body: { status: 0, time: 1, data } });

export interface FakeConsole {
  readonly url: string;
  readonly seen: Seen[];
  /** Answers that replace the usual ones, in order. */
  readonly next: (Answer | Promise<Answer>)[];
  /** Seconds between reports, sent to agents. */
  interval: number;
  /** Further fields of the heartbeat response. */
  responseFields: Readonly<Record<string, unknown>>;
  /** Resolves when the recorded requests fulfil a condition. */
  until(condition: (seen: readonly Seen[]) => boolean): Promise<void>;
  /** Breaks every connection, as a server that is down would. The port stays taken: no other program can get it. */
  goDown(): void;
  /** Answers again. */
  comeBack(): void;
}

/** Parses the body of a request. */
function readBody(
  headers: IncomingHttpHeaders,
  bytes: Buffer,
): Pick<Seen, 'body' | 'type' | 'encoding' | 'key' | 'numbers'> {
  if (headers['content-type'] !== 'application/x-ndjson') {
    return { body: bytes.length === 0 ? undefined : JSON.parse(bytes.toString()) };
  }
  const lines = gunzipSync(bytes).toString().split('\n').filter(Boolean);
  return {
    body: lines.map((line) => JSON.parse(line)),
    type: headers['content-type'],
    encoding: headers['content-encoding'],
    key: headers['idempotency-key']?.toString(),
    numbers: JSON.parse(headers['quarterdeck-batch']?.toString() ?? 'null'),
  };
}

/** Starts a console that accepts every agent. */
export async function startFakeConsole(): Promise<FakeConsole> {
  const requests = new EventEmitter();
  let isDown = false;
  let enrolled = 0;

  function usual(what: string, body: unknown): Reply {
    if (what === 'errlog') return success({ accepted: (body as unknown[]).length, refused: [] });
    if (what === 'shutdown') return { body: { status: 0 } };
    if (what !== 'register') return success({ interval: self.interval, ...self.responseFields });
    enrolled += 1;
    return success({ id: 7, secret: secretNumber(enrolled), interval: self.interval });
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] | undefined = await request.toArray().catch(() => undefined);
    // The agent has stopped while it sent this.
    if (chunks === undefined) return;
    const path = request.url ?? '';
    const what = path.split('/').at(-1) ?? '';
    const token = request.headers['api-token']?.toString();
    const seen = { what, path, token, ...readBody(request.headers, Buffer.concat(chunks)) };
    self.seen.push(seen);
    requests.emit('seen');
    const answer = (await self.next.shift()) ?? usual(what, seen.body);
    if (answer === 'hang') return;
    if (answer === 'cut') return void response.destroy();
    const { status = 200, headers, body } = answer;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.on('connection', (socket) => void (isDown && socket.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });

  const self: FakeConsole = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: [],
    next: [],
    interval: 30,
    responseFields: {},
    async until(condition) {
      while (!condition(self.seen)) await once(requests, 'seen');
    },
    goDown() {
      isDown = true;
      server.closeAllConnections();
    },
    comeBack() {
      isDown = false;
    },
  };
  return self;
}

/** An operation as an agent reports it. */
interface Reported {
  readonly id: number;
  readonly state: string;
  readonly progress?: number;
  readonly detail?: string;
}

/** Reported operations, in order. */
export const reports = (server: FakeConsole): Reported[] =>
  server.seen.flatMap(({ body }) => (body as { operations?: Reported[] } | undefined)?.operations ?? []);
