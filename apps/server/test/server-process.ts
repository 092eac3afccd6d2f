// The server in a process of its own, with its output and its entry in the process list.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { MAIN } from './command-line.ts';
import { PROGRAM_FLAGS, programEnvironment } from './program-environment.ts';

export interface ServerProcess {
  readonly url: string;
  /** 0 if there is none. */
  readonly syslogTlsPort: number;
  /** Everything it has written, to both outputs. */
  output(): string;
  /** Sends SIGHUP. */
  hangUp(): void;
  stop(): Promise<void>;
  /** Ends it without a chance to clean up. */
  kill(): Promise<void>;
}

/** Fields of the log line that reports a started server. */
interface Ready {
  readonly url: string;
  readonly syslog_tls_port: number | 'off';
}

/** Starts one on any port without syslog, with these variables and no others; resolves once it is ready. */
export async function startServerProcess(settings: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const defaults = { QUARTERDECK_PORT: '0', QUARTERDECK_SYSLOG_PORT: 'off' };
  const env = { ...programEnvironment(), ...defaults, ...settings };
  const child = spawn(process.execPath, [...PROGRAM_FLAGS, MAIN], { env });
  const ended = once(child, 'close');
  const lines: string[] = [];
  const ready = await new Promise<Ready>((resolve, reject) => {
    const read = (line: string) => {
      lines.push(line);
      if (line.includes('"msg":"ready"')) resolve(JSON.parse(line) as Ready);
    };
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', read);
    ended.then(() => reject(new Error(lines.join('\n'))), reject);
  });
  return {
    url: ready.url,
    syslogTlsPort: Number(ready.syslog_tls_port) || 0,
    output: () => lines.join('\n'),
    hangUp: () => void child.kill('SIGHUP'),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Reads the process list repeatedly, until it is stopped. */
export function watchProcessList(): { stop(): Promise<ReadonlySet<string>> } {
  const seen = new Set<string>();
  let watching = true;
  const looking = (async () => {
    while (watching) {
      for (const line of commandLines()) seen.add(line);
      await delay(20);
    }
  })();
  return {
    async stop() {
      watching = false;
      await looking;
      return seen;
    },
  };
}

/** The arguments of every process, as any user of the host may read them. */
function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        // It has ended since.
        return '';
      }
    });
}
