// Runs the program from its source as a process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Folder of the compile cache, shared by all starts. */
const COMPILED = join(tmpdir(), 'compiled');

/** A process of the agent. */
export interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly errors: () => string;
  /** Resolves when the output has this text, and rejects when the process has ended without it. */
  readonly says: (text: string) => Promise<void>;
  readonly ended: Promise<number | null>;
}

interface How {
  /** File descriptor that replaces the pipe of standard output. */
  readonly stdout?: number;
  /** A program, with its arguments, that runs the agent. */
  readonly under?: readonly string[];
}

/** Starts the agent and ends it with the test. */
export const start = (env: Record<string, string>, ...args: string[]): Started => startWith({}, env, args);

/** As {@link start}, with another standard output or under another program. */
export function startWith(
  { stdout, under = [] }: How,
  env: Record<string, string>,
  args: readonly string[] = [],
): Started {
  const [program = '', ...words] = [...under, process.execPath, '--conditions=@quarterdeck/source', MAIN, ...args];
  const child = spawn(program, words, {
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent', NODE_COMPILE_CACHE: COMPILED, ...env },
    stdio: ['pipe', stdout ?? 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  let errors = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code);
  return {
    child,
    output: () => output,
    errors: () => errors,
    async says(text) {
      const isOver = ended.then(() => true);
      while (!output.includes(text)) {
        const hasEnded = await Promise.race([isOver, once(child.stdout ?? child, 'data').then(() => false)]);
        if (hasEnded && !output.includes(text)) throw new Error(`the agent has ended: ${errors}`);
      }
    },
    ended,
  };
}
