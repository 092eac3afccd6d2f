// Clients that hold connections and give nothing: a thread of its own, so that they slow nobody but the server. They do not
// close a connection when the server does, and open another one instead, at a bounded rate.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { parentPort, Worker, workerData } from 'node:worker_threads';

/** What a hostile client does with its connection. */
export type Habit = 'half-sent' | 'slow-headers' | 'slow-body' | 'slow-reader' | 'silent';

/** An attack. */
export interface Attack {
  readonly port: number;
  readonly count: number;
  /** Given to the clients in turn. */
  readonly habits: readonly Habit[];
  /** Local addresses, given to the clients in turn. */
  readonly addresses: readonly string[];
  /** So many connections are opened in a second until each client has had one. */
  readonly perSecond: number;
}

/** Counts of an attack. */
export interface AttackCounts {
  /** Connections that the server has not closed. */
  readonly open: number;
  /** Ever opened. */
  readonly opened: number;
}

/** A running attack. */
export interface RunningAttack {
  /** Resolves once every client has tried to open a connection. */
  readonly started: Promise<void>;
  counts(): AttackCounts;
  stop(): Promise<void>;
}

/** Starts an attack. */
export function startAttack(attack: Attack): RunningAttack {
  if (filesAllowed() < attack.count * FILES_PER_CLIENT) {
    throw new Error(`too few files may be open: ulimit -n ${attack.count * FILES_PER_CLIENT}`);
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
    async stop() {
      await worker.terminate();
    },
  };
}

/** Files that this process may have open. */
const filesAllowed = () => Number(/Max open files +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);

/** Its connection, and those that the server has closed and it has not. */
const FILES_PER_CLIENT = 4;
const CLOSED_PER_CLIENT = 2;
const AGAIN_PER_SECOND = 200;
const TICK_MS = 50;
const STEP_MS = 1_000;
const HEAD = 'Host: x\r\nUser-Agent: slow\r\n';
const LOGIN = 'POST /admin-api/user/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n';
/** The largest answer that needs no credential, twice: more than the system takes for a client that does not read. */
const LARGE = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2);

/** What is sent at once, and what follows a byte a second. A reader that is slow stops reading. */
const HABITS: Readonly<Record<Habit, { readonly first: string; readonly drip: string }>> = {
  'half-sent': { first: `GET / HTTP/1.1\r\n${HEAD}`, drip: '' },
  'slow-headers': { first: `GET / HTTP/1.1\r\n${HEAD}X-A: `, drip: 'a' },
  'slow-body': { first: LOGIN, drip: ' ' },
  'slow-reader': { first: LARGE, drip: '' },
  silent: { first: '', drip: '' },
};

function attackFrom({ port, count, habits, addresses, perSecond }: Attack): void {
  const open = new Map<Socket, Habit>();
  const closed = new Set<Socket>();
  let opened = 0;
  const openOne = () => {
    const habit = habits[opened % habits.length] ?? 'silent';
    const localAddress = addresses[opened % addresses.length] ?? '127.0.0.1';
    opened += 1;
    const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
    open.set(socket, habit);
    socket.on('error', () => {});
    socket.once('end', () => {
      open.delete(socket);
      closed.add(socket);
    });
    socket.once('close', () => {
      open.delete(socket);
      closed.delete(socket);
    });
    if (habit === 'slow-reader') socket.pause();
    else socket.resume();
    if (HABITS[habit].first !== '') socket.write(HABITS[habit].first);
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
    for (const [socket, habit] of open) {
      if (habit === 'slow-reader') socket.read(64);
      else if (HABITS[habit].drip !== '' && socket.writable) socket.write(HABITS[habit].drip);
    }
  }, STEP_MS);
}

if (parentPort !== null) attackFrom(workerData as Attack);
