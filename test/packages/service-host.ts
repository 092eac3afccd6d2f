// A booted Debian root with the server as a service.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { restoreFixture } from '../../apps/server/test/fixtures/fixture.ts';
import { freePort } from '../free-port.ts';
import { bootRoot } from './booted-root.ts';
import { check, secondsSince } from './check.ts';
import { type Installation, succeed, waitUntilReady } from './installation.ts';
import { RELEASED } from './released-data.ts';

/** Folder of the data in the root. */
export const DATA = '/var/lib/quarterdeck';
export const SETTINGS = '/etc/quarterdeck/quarterdeck.toml';

/** An installed server with its root. */
export interface ServiceHost extends Installation, AsyncDisposable {
  /** Folder of the root on this machine. */
  readonly folder: string;
  systemctl(...args: readonly string[]): string;
  /** A property of a unit. */
  property(unit: string, name: string): string;
  /** Writes a drop-in of a unit. */
  dropIn(unit: string, text: string): void;
  /** Runs a script of packaging/systemd. */
  script(name: string, ...args: readonly string[]): string;
  /** Starts or restarts the server and waits until it is ready. */
  restart(): Promise<void>;
  /** Stops the server and gives it the data of a released version. */
  useReleasedData(): Promise<void>;
}

/** Boots a root with nginx, whose server has yet to be installed and to get the ports of `url` and `syslogPort`. */
export async function bootHost(): Promise<ServiceHost> {
  const startMs = performance.now();
  const { folder, run, ...root } = await bootRoot(['nginx-light']);
  check(true, `systemd boots in a clean root: ${secondsSince(startMs)}`);
  const systemctl = (...args: readonly string[]) => succeed(run, ['systemctl', ...args]);
  const serverLog = () => run(['journalctl', '--unit=quarterdeckd', '--output=cat', '--no-pager']).stdout;
  const host: ServiceHost = {
    folder,
    run,
    url: `http://127.0.0.1:${await freePort()}`,
    syslogPort: await freePort(),
    serverLog,
    isRunning: () => host.property('quarterdeckd', 'ActiveState') !== 'failed',
    quarterdeck: (args, input) => run(['env', 'QUARTERDECK_KEYRING=off', 'quarterdeck', ...args], input),
    systemctl,
    property: (unit, name) => systemctl('show', unit, `--property=${name}`, '--value').trim(),
    dropIn(unit, text) {
      mkdirSync(join(folder, `etc/systemd/system/${unit}.d`), { recursive: true });
      writeFileSync(join(folder, `etc/systemd/system/${unit}.d/test.conf`), text);
      systemctl('daemon-reload');
    },
    script: (name, ...args) => succeed(run, ['sh', `/opt/archive/systemd/${name}`, ...args]),
    async restart() {
      systemctl('restart', 'quarterdeckd');
      await waitUntilReady(host);
    },
    async useReleasedData() {
      systemctl('stop', 'quarterdeckd');
      succeed(run, ['find', DATA, '-mindepth', '1', '-delete']);
      await restoreFixture(RELEASED, join(folder, DATA), undefined);
      succeed(run, ['chown', '-R', 'quarterdeck:quarterdeck', DATA]);
    },
    ...root,
  };
  return host;
}
