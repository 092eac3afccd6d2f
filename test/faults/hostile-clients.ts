// Clients that hold connections without sending or reading. They run in a thread of their own, so that they slow only
// the server. When the server closes a connection they keep it and open another one, at a bounded rate.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { parentPort, Worker, workerData } from 'node:worker_threads';

/** Behavior of a hostile client on its connection. */
export type Behavior = 'half-sent' | 'slow-headers' | 'slow-body' | 'slow-reader' | 'silent';

export interface Attack {
  readonly port: number;
  readonly count: number;
  /** Behaviors, assigned to the clients in turn. */
  readonly behaviors: readonly Behavior[];
  /** Local addresses, assigned to the clients in turn. */
  readonly addresses: readonly string[];
  /** Connections opened per second until each client has had one. */
  readonly perSecond: number;
}

export interface AttackCounts {
  /** Connections that the server has not closed. */
  readonly open: number;
  /** Connections opened since the start. */
  readonly opened: number;
}

/** A running attack; it stops at the end of the block. */
export interface RunningAttack extends AsyncDisposable {
  /** Resolves when every client has tried to open a connection. */
  readonly started: Promise<void>;
  counts(): AttackCounts;
}

export function startAttack(attack: Attack): RunningAttack {
  if (filesAllowed() < attack.count * FILES_PER_CLIENT) {
    throw new Error(`the limit of open files is too low; run ulimit -n ${attack.count * FILES_PER_CLIENT}`);
  }
  const worker = new Worker(new URL(import.meta.url), { workerData: attack });
  const { promise: started, resolve, reject } = Promise.withResolvers<void>();
  let counts: AttackCounts = { open: 0, opened: 0 };
  worker.on('message', (message: AttackCounts) => {
    counts = message;
    if (counts.opened >= attack.count) resolve();
  });
  worker.once('error', reject);
  return {
    started,
    counts: () => counts,
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

/** Maximum number of open files of this process. */
const filesAllowed = () => Number(/Max open files +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);

/** Its connection, and those that only the server has closed. */
const FILES_PER_CLIENT = 4;
const CLOSED_PER_CLIENT = 2;
const AGAIN_PER_SECOND = 200;
const TICK_MS = 50;
const STEP_MS = 1_000;
const HEAD = 'Host: x\r\nUser-Agent: slow\r\n';
const LOGIN = 'POST /admin-api/user/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n';
/**
 * Requests for the largest answer without a credential, twice: more than the system buffers for a client that does not
 * read.
 */
const LARGE = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2);

/** Bytes to send at once, and bytes to send one a second. A slow reader stops reading. */
const BEHAVIORS: Readonly<Record<Behavior, { readonly first: string; readonly drip: string }>> = {
  'half-sent': { first: `GET / HTTP/1.1\r\n${HEAD}`, drip: '' },
  'slow-headers': { first: `GET / HTTP/1.1\r\n${HEAD}X-A: `, drip: 'a' },
  'slow-body': { first: LOGIN, drip: ' ' },
  'slow-reader': { first: LARGE, drip: '' },
  silent: { first: '', drip: '' },
};

function attackFrom({ port, count, behaviors, addresses, perSecond }: Attack): void {
  const open = new Map<Socket, Behavior>();
  const closed = new Set<Socket>();
  let opened = 0;
  const openOne = () => {
    const behavior = behaviors[opened % behaviors.length] ?? 'silent';
    const localAddress = addresses[opened % addresses.length] ?? '127.0.0.1';
    opened += 1;
    const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
    open.set(socket, behavior);
    socket.on('error', () => {});
    socket.once('end', () => {
      open.delete(socket);
      closed.add(socket);
    });
    socket.once('close', () => {
      open.delete(socket);
      closed.delete(socket);
    });
    if (behavior === 'slow-reader') socket.pause();
    else socket.resume();
    if (BEHAVIORS[behavior].first !== '') socket.write(BEHAVIORS[behavior].first);
  };
  setInterval(() => {
    const most = Math.ceil(((opened < count ? perSecond : AGAIN_PER_SECOND) * TICK_MS) / 1_000);
    for (let i = 0; i < most && open.size < count; i += 1) openOne();
    for (const socket of closed) {
      if (closed.size <= count * CLOSED_PER_CLIENT) break;
      closed.delete(socket);
      socket.destroy();
    }
    parentPort?.postMessage({ open: open.size, opened } satisfies AttackCounts);
  }, TICK_MS);
  setInterval(() => {
    for (const [socket, behavior] of open) {
      if (behavior === 'slow-reader') socket.read(64);
      else if (BEHAVIORS[behavior].drip !== '' && socket.writable) socket.write(BEHAVIORS[behavior].drip);
    }
  }, STEP_MS);
}

if (parentPort !== null) attackFrom(workerData as Attack);
