// A server and a command line that a test has installed, wherever they are: in a Debian root, a container or a folder.
import { type SpawnSyncOptionsWithStringEncoding, spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

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
  /** False once the server has ended and nobody starts it again. */
  isRunning(): boolean;
}

/** Settings as environment variables of the server. */
export const variablesOf = (settings: object): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).map(([key, value]) => [`QUARTERDECK_${key.toUpperCase()}`, `${value}`]));

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

/** Longer than anything takes on a busy machine: it ends a test that hangs. */
const HANG_MS = 900_000;

/** Waits until a condition gives a value other than undefined or false; throws what `otherwise` says where it hangs. */
export async function waitFor<T>(
  find: () => T | undefined | false | Promise<T | undefined | false>,
  otherwise: () => string,
): Promise<T> {
  const endMs = performance.now() + HANG_MS;
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > endMs) throw new Error(otherwise());
    await delay(100);
  }
}

/** Waits until the server answers that it is ready; throws where it has ended. */
export async function waitUntilReady({ url, serverLog, isRunning }: Installation): Promise<void> {
  const isReady = async () => {
    const isGood = await fetch(`${url}/readyz`, { headers: { connection: 'close' } }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isGood && !isRunning()) throw new Error(`the server has ended:\n${serverLog()}`);
    return isGood;
  };
  await waitFor(isReady, () => `the server is not ready:\n${serverLog()}`);
}
