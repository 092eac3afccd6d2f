// A restart under load, with sockets that the real `systemd-socket-activate` opens.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { signIn } from '@quarterdeck/sdk';
import { expect, it, onTestFinished, vi } from 'vitest';
import { makeAuthority } from '../../../test/certificates.ts';
import { freePort } from '../../../test/free-port.ts';
import { newFolder } from '../../../test/new-folder.ts';
import { HAS_SYSTEMD } from '../../../test/notify-receiver.ts';
import { findProgram } from '../../../test/programs.ts';
import { startActivated } from './activated-server.ts';
import { PASSWORD } from './start-api.ts';

const RESTARTS = 2;
const CLIENTS = 8;
/** Requests between two restarts. */
const REQUESTS = 200;
const openssl = findProgram('openssl');

/** Counts of a load: what arrived, and every failure by its code. */
interface Load {
  done: number;
  readonly failures: string[];
}

/** Repeats a step until the load ends, and notes its failures. */
async function repeat(load: Load, signal: AbortSignal, step: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    try {
      await step();
      load.done += 1;
    } catch (error) {
      load.failures.push(String((error as NodeJS.ErrnoException).code ?? error));
    }
    // Gives the other clients and the server, on the same machine, their turn.
    await delay(2);
  }
}

async function request(port: number, agent: Agent | false): Promise<void> {
  const message = get({ host: '127.0.0.1', port, path: '/healthz', agent });
  const [response] = await once(message, 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
}

async function sendLine(port: number, text: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.end(`<11>1 - edge-1 shop - - - ${text}\n`);
  await once(socket, 'close');
}

async function handshake(port: number, ca: string): Promise<void> {
  const socket = connectTls({ port, host: '127.0.0.1', ca });
  await once(socket, 'secureConnect');
  socket.destroy();
}

/** Prepares settings and certificates in a folder of the test. */
async function prepare() {
  const folder = newFolder();
  const authority = makeAuthority(openssl ?? '');
  const { cert, key } = authority.issue('server');
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
  onTestFinished(() => {
    authority[Symbol.dispose]();
  });
  const ports = { http: await freePort(), syslog: await freePort(), syslogTls: await freePort() };
  const settings = {
    QUARTERDECK_DATA_DIR: join(folder, 'data'),
    QUARTERDECK_ADMIN_PASSWORD: PASSWORD,
    QUARTERDECK_SYSLOG_TLS_PORT: '1',
    QUARTERDECK_SYSLOG_TLS_CERT_FILE: join(folder, 'cert.pem'),
    QUARTERDECK_SYSLOG_TLS_KEY_FILE: join(folder, 'key.pem'),
  };
  return { ports, settings, ca: authority.cert };
}

it.skipIf(!HAS_SYSTEMD || openssl === undefined)(
  'refuses no connection and loses no datagram while it restarts under load',
  { timeout: 120_000 },
  async () => {
    const { ports, settings, ca } = await prepare();
    const udp = createSocket('udp4');
    onTestFinished(() => void udp.close());
    let datagrams = 0;
    const sendDatagram = () => {
      datagrams += 1;
      udp.send(`<11>1 - edge-1 mail - - - datagram ${datagrams}`, ports.syslog, '127.0.0.1');
    };
    const server = await startActivated(ports, settings, sendDatagram);
    onTestFinished(() => server.stop());
    expect(server.lines.join('\n')).toContain(`"url":"http://127.0.0.1:${ports.http}"`);

    const end = new AbortController();
    const loads = Object.fromEntries(
      ['http', 'keepAlive', 'syslog', 'syslogTls'].map((name) => [name, { done: 0, failures: [] as string[] }]),
    ) as Record<'http' | 'keepAlive' | 'syslog' | 'syslogTls', Load>;
    const agent = new Agent({ keepAlive: true });
    const clients = Array.from({ length: CLIENTS }, () => [
      repeat(loads.http, end.signal, () => request(ports.http, false)),
      repeat(loads.keepAlive, end.signal, () => request(ports.http, agent)),
    ]).flat();
    clients.push(repeat(loads.syslog, end.signal, () => sendLine(ports.syslog, 'line')));
    clients.push(repeat(loads.syslogTls, end.signal, () => handshake(ports.syslogTls, ca)));
    // Few enough for the buffer of a socket on a slow machine.
    const sender = setInterval(sendDatagram, 100);
    const answered = () => loads.http.done + loads.keepAlive.done;
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      const before = answered();
      await vi.waitUntil(() => answered() >= before + REQUESTS, { timeout: 60_000 });
      await server.restart();
    }
    clearInterval(sender);
    end.abort();
    await Promise.all(clients);
    agent.destroy();

    expect(loads.http.failures).toEqual([]);
    expect(loads.keepAlive.failures).toEqual([]);
    // A stop ends the open connections of syslog, which has no answers. New ones wait for the next process.
    expect([...loads.syslog.failures, ...loads.syslogTls.failures]).not.toContain('ECONNREFUSED');
    expect(Math.min(loads.syslog.done, loads.syslogTls.done)).toBeGreaterThan(RESTARTS);
    const { client } = await signIn({ url: `http://127.0.0.1:${ports.http}`, username: 'admin', password: PASSWORD });
    await vi.waitUntil(
      async () => {
        const { data } = await client.errlog.list({ query: { service: 'mail' } });
        return data.reduce((sum, { count }) => sum + count, 0) === datagrams;
      },
      { timeout: 50_000, interval: 100 },
    );
  },
);
