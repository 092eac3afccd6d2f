// An agent under a supervisor that starts it again whenever it ends, as systemd does, except after exit code 2.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** See the head of this file. */
export interface SupervisedAgent {
  /** Number of the present process. */
  readonly pid: number;
  /** Exit codes of the processes that have ended. */
  readonly ends: readonly (number | string | null)[];
  /** Everything that the agent has written. */
  log(): string;
  /** Ends the agent and starts it again. */
  restart(signal?: NodeJS.Signals): Promise<void>;
  /** Ends the agent. */
  stop(): Promise<void>;
}

/** Starts an executable. */
export function superviseAgent(program: string, env: NodeJS.ProcessEnv): SupervisedAgent {
  let log = '';
  let child: ChildProcess;
  let isStopped = false;
  const ends: (number | string | null)[] = [];

  function start(): void {
    child = spawn(program, ['run'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        log += text;
      });
    }
    child.once('close', (code, signal) => {
      ends.push(code ?? signal);
      if (!isStopped && code !== 2) start();
    });
  }
  start();

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ended = once(child, 'close');
    child.kill(signal);
    await ended;
  }
  return {
    get pid() {
      return child.pid ?? 0;
    },
    ends,
    log: () => log,
    restart: (signal = 'SIGTERM') => end(signal),
    async stop() {
      isStopped = true;
      if (child.exitCode === null && child.signalCode === null) await end('SIGTERM');
    },
  };
}
