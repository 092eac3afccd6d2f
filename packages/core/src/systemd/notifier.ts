// Tells the service manager about this program. Node has no datagram sockets for local addresses, so the program
// `systemd-notify` sends each message. At most one of it runs at a time; newer values replace those that wait.
import { spawn } from 'node:child_process';
import type { Service } from './service.ts';

/** Options of {@link notifierFor}. */
export interface NotifierOptions {
  /** Search path for `systemd-notify`. */
  readonly path: string | undefined;
  /** Gets the first failure, and the first one after a success. */
  readonly onFailure: (error: Error) => void;
  /** Milliseconds until a message is sent again; after twice that time its program is killed. Only tests set it. */
  readonly retryMs?: number;
}

/** Tells the service manager about this program; does nothing without one. */
export interface Notifier {
  /** The program works, and the watchdog begins. `status` is one line for people. */
  ready(status: string): void;
  /** Replaces the line for people. */
  status(text: string): void;
  /** The program is about to end. */
  stopping(status: string): void;
  /** Resolves when no message is on its way. */
  sent(): Promise<void>;
  /** Ends the watchdog and gives up on what was not sent. */
  close(): void;
}

const PATH_DEFAULT = '/usr/bin:/bin';
const RETRY_MS = 5_000;
const STATUS_MAX = 200;

/** One line without control characters: a line break would begin another assignment. */
const lineOf = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').slice(0, STATUS_MAX);

/** Sends assignments with `systemd-notify`. Rejects when it cannot be run or fails. */
function send(socket: string, path: string, assignments: readonly string[], limitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('systemd-notify', assignments, {
      cwd: '/',
      env: { PATH: path, LC_ALL: 'C', NOTIFY_SOCKET: socket },
      stdio: 'ignore',
      timeout: limitMs,
      killSignal: 'SIGKILL',
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`systemd-notify ended with ${signal ?? code}`));
    });
  });
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Creates a notifier. Nothing that it does blocks or throws. */
export function notifierFor({ notifySocket, watchdogMs }: Service, options: NotifierOptions): Notifier {
  const { path = PATH_DEFAULT, onFailure, retryMs = RETRY_MS } = options;
  /** Assignments that wait, by their names. */
  let waiting = new Map<string, string>();
  let running: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let watchdog: NodeJS.Timeout | undefined;
  let isFailing = false;
  let isOver = notifySocket === undefined;

  function failed(error: Error, news: ReadonlyMap<string, string>): void {
    if (!isFailing) onFailure(error);
    isFailing = true;
    if (isMissing(error)) close();
    if (isOver) return;
    waiting = new Map([...news, ...waiting]);
    retry = setTimeout(next, retryMs).unref();
  }

  async function sendWaiting(socket: string): Promise<void> {
    const news = waiting;
    waiting = new Map();
    try {
      const assignments = [...news].map(([name, value]) => `${name}=${value}`);
      await send(socket, path, assignments, 2 * retryMs);
      isFailing = false;
    } catch (error) {
      failed(error as Error, news);
    }
  }

  function next(): void {
    clearTimeout(retry);
    retry = undefined;
    if (isOver || notifySocket === undefined || running !== undefined || waiting.size === 0) return;
    running = sendWaiting(notifySocket).then(() => {
      running = undefined;
      if (retry === undefined) next();
    });
  }

  function tell(news: Readonly<Record<string, string>>): void {
    if (isOver) return;
    for (const [name, value] of Object.entries(news)) waiting.set(name, value);
    if (retry === undefined) next();
  }

  function close(): void {
    isOver = true;
    clearInterval(watchdog);
    clearTimeout(retry);
    waiting.clear();
  }

  return {
    ready(status) {
      tell({ READY: '1', STATUS: lineOf(status) });
      if (watchdogMs === undefined || isOver) return;
      // The timer runs only while the event loop turns, which is what the watchdog proves. It looks at nothing else:
      // a restart cannot repair a database or a network.
      watchdog ??= setInterval(() => tell({ WATCHDOG: '1' }), watchdogMs / 2).unref();
    },
    status: (text) => tell({ STATUS: lineOf(text) }),
    stopping: (status) => tell({ STOPPING: '1', STATUS: lineOf(status) }),
    async sent() {
      while (running !== undefined) await running;
    },
    close,
  };
}
