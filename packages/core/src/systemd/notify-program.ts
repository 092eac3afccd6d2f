// Sends messages to the service manager with `systemd-notify`. A shell that is started once runs it: to start a process
// stops the event loop for as long as the system needs to copy this one, which grows with its memory.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** Runs `systemd-notify`. */
export interface NotifyProgram {
  /** Sends assignments as one message. Rejects when that fails or takes too long. One message at a time. */
  send(assignments: readonly string[]): Promise<void>;
  /** Ends the shell when it has run what it was given. */
  close(): void;
}

/** Exit code of a shell that does not find a program. */
const NOT_FOUND = 127;

/**
 * Reads assignments, one in a line, and sends them at an empty line. Answers with the exit code. Signals for the whole
 * group of processes must not end it before the last message.
 */
const SCRIPT = `
  trap '' TERM INT HUP
  while IFS= read -r line; do
    if [ -n "$line" ]; then set -- "$@" "$line"; continue; fi
    systemd-notify "$@" 2>/dev/null
    echo $?
    set --
  done`;

type Shell = ChildProcessByStdio<Writable, Readable, null>;

/** `systemd-notify` is not on the path. */
export class NotifyProgramMissing extends Error {}

function startShell(socket: string, path: string): Shell {
  const shell = spawn('/bin/sh', ['-c', SCRIPT], {
    cwd: '/',
    env: { PATH: path, LC_ALL: 'C', NOTIFY_SOCKET: socket },
    stdio: ['pipe', 'pipe', 'ignore'],
    // A process group of its own, to end it with the program that it runs.
    detached: true,
  });
  // It must not keep this process alive.
  for (const handle of [shell, shell.stdin, shell.stdout]) if ('unref' in handle) (handle as Shell).unref();
  shell.stdin.on('error', () => undefined);
  return shell;
}

/** Starts the shell. A failure shows at the next message, which starts another one. */
export function startNotifyProgram(socket: string, path: string, limitMs: number): NotifyProgram {
  let shell: Shell | undefined;
  let answer = Promise.withResolvers<number>();

  function start(): Shell {
    const started = startShell(socket, path);
    const end = (error: Error) => {
      if (shell !== started) return;
      shell = undefined;
      answer.reject(error);
    };
    // An answer is one short line, and so one piece.
    started.stdout.setEncoding('utf8').on('data', (line: string) => {
      if (shell === started) answer.resolve(Number(line));
    });
    started.once('error', end);
    started.once('exit', (code, signal) => end(new Error(`the shell of systemd-notify ended with ${signal ?? code}`)));
    return started;
  }
  function kill(): void {
    try {
      if (shell?.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
    answer.reject(new Error(`systemd-notify took more than ${limitMs} ms`));
    shell = undefined;
  }

  answer.promise.catch(() => undefined);
  try {
    shell = start();
  } catch {
    // No file descriptor is left. The first message tries again.
  }
  return {
    async send(assignments) {
      answer = Promise.withResolvers();
      shell ??= start();
      const timer = setTimeout(kill, limitMs).unref();
      shell.stdin.write(`${assignments.join('\n')}\n\n`);
      try {
        const code = await answer.promise;
        if (code === NOT_FOUND) throw new NotifyProgramMissing('systemd-notify was not found');
        if (code !== 0) throw new Error(`systemd-notify ended with ${code}`);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => shell?.stdin.end(),
  };
}
