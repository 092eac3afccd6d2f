// A booted Debian root with the server as a service.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BootedRoot } from './booted-root.ts';
import { type Installation, succeed, waitUntilReady } from './installation.ts';

/** An installed server with its root. */
export interface ServiceHost extends Installation {
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
}

/** Wraps a root in which the server gets these ports. */
export function hostOf({ folder, run }: BootedRoot, port: number, syslogPort: number): ServiceHost {
  const systemctl = (...args: readonly string[]) => succeed(run, ['systemctl', ...args]);
  const serverLog = () => run(['journalctl', '--unit=quarterdeckd', '--output=cat', '--no-pager']).stdout;
  const host: ServiceHost = {
    folder,
    run,
    url: `http://127.0.0.1:${port}`,
    syslogPort,
    serverLog,
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
  };
  return host;
}
