// Runs hydra against a server, from several addresses. hydra cannot choose its own address. Each of its targets is
// therefore a relay on a loopback address, which connects to the server from that address.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = 'hydra';

/** Options of an attack. */
export interface Attack {
  /** Port of the server on 127.0.0.1. */
  readonly port: number;
  readonly username: string;
  /** Tried at every target, in this order. */
  readonly passwords: readonly string[];
  /** Number of source addresses. */
  readonly addresses: number;
}

/** A running attack. */
export interface RunningAttack {
  /** Reports whether hydra has ended by itself: it has found everything, or failed. */
  hasEnded(): boolean;
  /**
   * Ends it; resolves with the number of guesses sent, the passwords that hydra reports as right, and its last output.
   */
  stop(): Promise<{ sent: number; found: readonly string[]; lastWords: string }>;
}

/** Reports whether hydra is installed. */
export const hasHydra = (): boolean => spawnSync(PROGRAM, ['-h']).error === undefined;

const LOGIN = '/admin-api/user/login';
// Colons within JSON are escaped, because hydra separates its fields by them. The request also claims to come from the
// owner's address, which the server must ignore.
const FORM = `${LOGIN}:{"username"\\:"^USER^","password"\\:"^PASS^"}:g=:H=X-Forwarded-For\\: 127.0.0.1:S=edge-token`;

/** Starts hydra. */
export async function startHydra({ port, username, passwords, addresses }: Attack): Promise<RunningAttack> {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-hydra-'));
  let sent = 0;
  const onRequest = () => {
    sent += 1;
  };
  const hosts = Array.from({ length: addresses }, (_, i) => `127.0.1.${i + 1}`);
  const relays: Server[] = [];
  for (const host of hosts) relays.push(await startRelay(host, portOf(relays[0]), port, onRequest));

  writeFileSync(join(folder, 'passwords'), `${passwords.join('\n')}\n`);
  writeFileSync(join(folder, 'targets'), `${hosts.join('\n')}\n`);
  const lists = ['-l', username, '-P', join(folder, 'passwords'), '-M', join(folder, 'targets')];
  const pace = ['-t', '4', '-T', String(addresses * 4), '-I'];
  const args = [...lists, ...pace, '-s', String(portOf(relays[0])), 'http-post-form', FORM];
  const child = spawn(PROGRAM, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => lines.push(line));
  }
  const closed = once(child, 'close');
  return {
    hasEnded: () => child.exitCode !== null,
    async stop() {
      // hydra is a group of processes, one for each task.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      await closed;
      for (const relay of relays) relay.close();
      rmSync(folder, { recursive: true });
      const found = lines.filter((line) => line.includes(`login: ${username}`));
      return { sent, found, lastWords: lines.slice(-10).join('\n') };
    },
  };
}

const portOf = (server: Server | undefined): number => (server?.address() as AddressInfo | undefined)?.port ?? 0;

/** Forwards all bytes to the server, from the address it listens on. */
async function startRelay(host: string, port: number, serverPort: number, onRequest: () => void): Promise<Server> {
  const relay = createServer((caller) => {
    const server = connect({ port: serverPort, host: '127.0.0.1', localAddress: host });
    caller.on('data', (chunk) => {
      if (chunk.includes(`POST ${LOGIN}`)) onRequest();
    });
    caller.pipe(server).pipe(caller);
    caller.on('error', () => server.destroy());
    server.on('error', () => caller.destroy());
    caller.on('close', () => server.destroy());
  });
  relay.listen(port, host);
  await once(relay, 'listening');
  return relay;
}
