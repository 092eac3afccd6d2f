// A server and a command line that a test has installed, wherever they are: in a Debian root, a container or a folder.
import { type SpawnSyncOptionsWithStringEncoding, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Result of a command. */
export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, with a standard input. */
export type Run = (argv: readonly string[], input?: string) => Outcome;

/** Installed programs and their server. All of them share the network of the test. */
export interface Installation {
  /** Address of the server for the test and for the command line. */
  readonly url: string;
  /** UDP port of syslog on 127.0.0.1. */
  readonly syslogPort: number;
  /** Runs `quarterdeck` with arguments. The credential of `quarterdeck login` stays for later runs. */
  readonly quarterdeck: Run;
  /** Runs a program where nginx is installed. */
  readonly run: Run;
  /** Everything that the server has written since its first start. */
  serverLog(): string;
}

/** Runs a program on this machine. */
export function runHere(
  argv: readonly string[],
  input = '',
  options: Omit<SpawnSyncOptionsWithStringEncoding, 'encoding' | 'input'> = {},
): Outcome {
  const [program = '', ...args] = argv;
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...{ maxBuffer: 1 << 28, ...options },
    ...{ input, encoding: 'utf8' },
  });
  if (error !== undefined) throw error;
  return { status, stdout, stderr };
}

/** Returns the standard output of a command that must succeed. */
export function succeed(run: Run, argv: readonly string[], input?: string): string {
  const { status, stdout, stderr } = run(argv, input);
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

/** Waits until a condition gives a value; throws what `otherwise` says after the time. */
export async function waitFor<T>(
  find: () => T | undefined | Promise<T | undefined>,
  otherwise: () => string,
  withinMs = 30_000,
): Promise<T> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() > endMs) throw new Error(otherwise());
    await delay(100);
  }
}

/** Waits until the server answers that it is ready. */
export async function waitUntilReady({ url, serverLog }: Pick<Installation, 'url' | 'serverLog'>): Promise<void> {
  const isReady = () =>
    fetch(`${url}/readyz`, { headers: { connection: 'close' } }).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    );
  await waitFor(isReady, () => `the server is not ready:\n${serverLog()}`);
}

/** A port of 127.0.0.1 that is free for TCP, and with luck for UDP. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
