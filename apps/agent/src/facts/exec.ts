// Runs a command for a fact: no shell, no input, a small environment without our secrets, and a timeout.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Command } from '../settings/config-values.ts';

export interface CommandOutput {
  /** True when the command ran to its end and exited with 0. */
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Deviations of one command from the usual. */
export interface CommandLimits {
  /** Bytes of each output that are kept. */
  readonly maxBytes?: number;
  /** True to run the command as nobody where the agent runs as root. */
  readonly asNobody?: boolean;
}

/** Runs a command; never rejects. A command that cannot be run yields `ok: false` with empty output. */
export type Exec = (command: Command, limits?: CommandLimits) => Promise<CommandOutput>;

export interface ExecOptions {
  /** Search path for commands. */
  readonly path: string;
  /** Kills every running command when the agent stops. */
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 5_000;
const OUTPUT_LIMIT_BYTES = 16 * 1024;
/** User and group without any right. */
const NOBODY = 65_534;
/** Environment of a command, without any variable of the agent. */
export const commandEnvironment = (path: string) => ({ PATH: path, LC_ALL: 'C', HOME: '/' });

const FAILED: CommandOutput = { ok: false, stdout: '', stderr: '' };

/** Keeps the start of a stream and discards the rest, so that the writer never blocks. */
function startOf(stream: NodeJS.ReadableStream, maxBytes: number): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    if (length < maxBytes) chunks.push(chunk);
    length += chunk.length;
  });
  return () => Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
}

/** Creates an {@link Exec} for real processes. */
export function createExec(options: ExecOptions): Exec {
  return async (command, limits = {}) => {
    if (options.signal.aborted) return FAILED;
    try {
      return await run(command, options, limits);
    } catch {
      // The system has no process, memory or file descriptor left.
      return FAILED;
    }
  };
}

/** Kills a process group with its leader. */
export function killGroup(child: ChildProcessByStdio<null, Readable, Readable>): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
  // A process that left the group may still hold the pipes; nobody waits for it.
  child.stdout.destroy();
  child.stderr.destroy();
}

function run(
  [program, ...words]: Command,
  options: ExecOptions,
  { maxBytes = OUTPUT_LIMIT_BYTES, asNobody = false }: CommandLimits,
): Promise<CommandOutput> {
  const { promise, resolve } = Promise.withResolvers<CommandOutput>();
  const child = spawn(program, words, {
    cwd: '/',
    env: commandEnvironment(options.path),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that children of the command are killed with it.
    detached: true,
    windowsHide: true,
    ...(asNobody && process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  const stdout = startOf(child.stdout, maxBytes);
  const stderr = startOf(child.stderr, maxBytes);

  const kill = (): void => killGroup(child);
  const timer = setTimeout(kill, options.timeoutMs ?? TIMEOUT_MS);
  options.signal.addEventListener('abort', kill);

  const finish = (ok: boolean): void => {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', kill);
    resolve({ ok, stdout: stdout(), stderr: stderr() });
  };
  child.once('error', () => finish(false));
  child.once('close', (code) => finish(code === 0));
  return promise;
}
