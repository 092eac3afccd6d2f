// Restarts a server whose sockets belong to systemd, while clients connect.
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { check } from './check.ts';
import { waitFor, waitUntilReady } from './installation.ts';
import type { ServiceHost } from './service-host.ts';

const RESTARTS = 3;
const CLIENTS = 8;
const UNITS = ['quarterdeckd.socket', 'quarterdeckd-syslog.socket'];

/** Asks for a page on a new connection. Returns the milliseconds that it took. */
function request(url: string): Promise<number> {
  const startMs = performance.now();
  return new Promise((resolve, reject) => {
    get(`${url}/healthz`, { agent: false }, (response) => {
      response.resume();
      response.once('end', () => resolve(performance.now() - startMs));
    }).once('error', reject);
  });
}

/** Lets systemd open the ports of the server. */
async function useSockets(host: ServiceHost): Promise<void> {
  const { port } = new URL(host.url);
  host.systemctl('stop', 'quarterdeckd');
  host.dropIn('quarterdeckd.socket', `[Socket]\nListenStream=\nListenStream=127.0.0.1:${port}\n`);
  const syslog = `127.0.0.1:${host.syslogPort}`;
  const lines = ['ListenStream=', 'ListenDatagram=', `ListenStream=${syslog}`, `ListenDatagram=${syslog}`];
  host.dropIn('quarterdeckd-syslog.socket', `[Socket]\n${lines.join('\n')}\n`);
  host.systemctl('start', ...UNITS, 'quarterdeckd');
  await waitUntilReady(host);
}

/** Restarts the server and waits for the next process. */
async function restartOnce(host: ServiceHost): Promise<void> {
  const pid = host.property('quarterdeckd', 'MainPID');
  host.systemctl('restart', '--no-block', 'quarterdeckd');
  const isNext = () =>
    host.property('quarterdeckd', 'MainPID') !== pid && host.property('quarterdeckd', 'ActiveState') === 'active';
  await waitFor(isNext, () => 'the server does not restart');
}

/** Restarts under load: no connection may be refused. */
export async function checkRestarts(host: ServiceHost): Promise<void> {
  await useSockets(host);
  const times: number[] = [];
  const failures: string[] = [];
  const end = new AbortController();
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!end.signal.aborted) {
      await request(host.url).then(
        (ms) => times.push(ms),
        (error: NodeJS.ErrnoException) => failures.push(String(error.code)),
      );
      await delay(2);
    }
  });
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    await restartOnce(host);
    const before = times.length;
    await waitFor(
      () => times.length > before + 100,
      () => 'no answers after a restart',
    );
  }
  end.abort();
  await Promise.all(clients);
  const longest = (Math.max(...times) / 1000).toFixed(1);
  const result = `${times.length} requests, ${failures.length} failures, the longest took ${longest} s`;
  check(failures.length === 0, `${RESTARTS} restarts with sockets of systemd: ${result} ${failures.join(' ')}`.trim());
  host.systemctl('stop', ...UNITS, 'quarterdeckd');
}
