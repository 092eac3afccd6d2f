// Programs that run without the terminal. They end with the dashboard.
import { ChildProcess, spawn } from 'node:child_process';
import { clean } from '@quarterdeck/views/text';
import { startProblem } from './programs.ts';

/** Maximum number of programs at once. */
const PROGRAMS_MAX = 8;
/** Bytes of the standard error that are kept; the rest is read and dropped. */
const ERRORS_MAX = 4_096;
/** Characters of a line in a message. */
const LINE_MAX = 200;
/** Longest wait for output after the end, because a program left behind may hold the pipe. */
const OUTPUT_MS = 200;
/** Longest wait for programs to end by themselves when the dashboard ends. */
const END_MS = 500;

/** End of a program, for a message: `isDone` if it succeeded. */
export interface Ended {
  readonly isDone: boolean;
  readonly text: string;
}

/** The programs of one dashboard. */
export interface BackgroundPrograms {
  /** Runs a program without a shell. Never fails. */
  readonly run: (words: readonly string[]) => Promise<Ended>;
  /** Ends all programs. Resolves once they have ended. */
  readonly end: () => Promise<void>;
}

/** Starts a program in a process group of its own, so that its end reaches what it started. */
function start(program: string, args: readonly string[]): ChildProcess | Ended {
  try {
    return spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  } catch (error) {
    // Some reasons are thrown, such as arguments that are too long.
    return { isDone: false, text: startProblem(error) };
  }
}

/** Sends a signal to a program and the programs that it started. */
function signal({ pid, exitCode, signalCode }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

function endText(code: number | null, by: NodeJS.Signals | null, errors: string): Ended {
  const line = clean(errors.split('\n').find((one) => one.trim() !== '') ?? '').slice(0, LINE_MAX);
  const isDone = code === 0;
  const how = by === null ? `exit code ${code}` : `ended by ${by}`;
  return { isDone, text: line === '' ? `${how}.` : `${how}: ${line}` };
}

/** Creates an empty set of programs. */
export function createBackgroundPrograms(): BackgroundPrograms {
  const running = new Map<ChildProcess, Promise<void>>();
  const killAll = (): void => {
    for (const child of running.keys()) signal(child, 'SIGKILL');
  };

  const watch = (child: ChildProcess): Promise<Ended> => {
    const { promise, resolve } = Promise.withResolvers<Ended>();
    let errors = '';
    child.stderr?.setEncoding('utf8');
    child.stderr?.on('data', (text: string) => {
      errors = (errors + text).slice(0, ERRORS_MAX);
    });
    child.once('error', (error) => resolve({ isDone: false, text: startProblem(error) }));
    child.once('exit', (code, by) => {
      const end = (): void => resolve(endText(code, by, errors));
      child.once('close', end);
      setTimeout(end, OUTPUT_MS).unref();
    });
    return promise;
  };

  return {
    async run([program = '', ...args]) {
      if (running.size >= PROGRAMS_MAX) {
        return { isDone: false, text: `${PROGRAMS_MAX} programs run already. Try again later.` };
      }
      const child = start(program, args);
      if (!(child instanceof ChildProcess)) return child;
      if (running.size === 0) process.on('exit', killAll);
      const ended = watch(child);
      running.set(
        child,
        ended.then(() => undefined),
      );
      const result = await ended;
      running.delete(child);
      if (running.size === 0) process.off('exit', killAll);
      return result;
    },
    async end() {
      for (const child of running.keys()) signal(child, 'SIGTERM');
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, END_MS);
      await Promise.race([Promise.all(running.values()), late]);
      clearTimeout(timer);
      killAll();
    },
  };
}
