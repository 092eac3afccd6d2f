// A server whose sockets belong to `systemd-socket-activate`. A shell keeps them open and starts the server again each
// time that it ends, as the service manager does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { MAIN } from './command-line.ts';
import { programEnvironment } from './program-environment.ts';

/** Ports of an activated server. */
export interface ActivatedPorts {
  readonly http: number;
  readonly syslog: number;
  readonly syslogTls: number;
}

/** A server that starts again when it ends. */
export interface ActivatedServer {
  /** Log lines of all processes. */
  readonly lines: readonly string[];
  /** Ends the process that runs and resolves when the next one is ready. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Prints the id of each process of the server, and waits for its end. */
const SUPERVISOR = `
  run() { exec sh -c 'LISTEN_PID=$$ exec "$@"' sh "$@"; }
  while :; do run "$@" & echo "process $!"; wait $!; done`;

/** Starts it with the first datagram to the syslog port, which must then be sent. */
export async function startActivated(
  ports: ActivatedPorts,
  settings: Readonly<Record<string, string>>,
  onListening: () => void,
): Promise<ActivatedServer> {
  const tcp = [ports.http, ports.syslog, ports.syslogTls].flatMap((port) => ['-l', `127.0.0.1:${port}`]);
  const variables = Object.entries({ ...programEnvironment(), ...settings });
  const environment = variables.map(([name, value]) => `--setenv=${name}=${value}`);
  const program = [process.execPath, '--conditions=@quarterdeck/source', MAIN];
  // One call opens sockets of one kind: the first one opens UDP, and passes it to the second one.
  const activate = ['systemd-socket-activate', '--fdname=syslog:http:syslog:syslog-tls', ...tcp, ...environment];
  const supervised = ['sh', '-c', SUPERVISOR, 'sh', ...program];
  const udp = ['--datagram', '-l', `127.0.0.1:${ports.syslog}`];
  const child = spawn('systemd-socket-activate', [...udp, ...activate, ...supervised]);
  const ended = once(child, 'close');
  const lines: string[] = [];
  let pid = 0;
  let ready = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    pid = Number(/^process (\d+)$/.exec(line)?.[1] ?? pid);
    if (line.includes('"msg":"ready"')) ready.resolve();
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    if (line.includes('Listening on') && line.includes(`:${ports.syslog} `)) onListening();
  });
  void ended.then(() => ready.reject(new Error(lines.join('\n'))));
  await ready.promise;
  return {
    lines,
    async restart() {
      ready = Promise.withResolvers();
      process.kill(pid, 'SIGTERM');
      await ready.promise;
    },
    async stop() {
      child.kill('SIGKILL');
      process.kill(pid, 'SIGTERM');
      await ended;
    },
  };
}
