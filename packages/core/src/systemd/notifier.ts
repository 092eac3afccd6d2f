// Tells the service manager about this program. Node has no datagram sockets for local addresses, so the program
// `systemd-notify` sends each message. At most one of it runs at a time; newer values replace those that wait.
import { NotifyProgramMissing, startNotifyProgram } from './notify-program.ts';
import type { Service } from './service.ts';

/** Options of {@link notifierFor}. */
export interface NotifierOptions {
  /** Search path for `systemd-notify`. */
  readonly path: string | undefined;
  /** Gets the first failure, and the first one after a success. */
  readonly onFailure: (error: Error) => void;
  /** Milliseconds until a message is sent again. Only tests set it. */
  readonly retryMs?: number;
  /** Milliseconds after which its program is killed. Only tests set it. */
  readonly limitMs?: number;
}

/** Tells the service manager about this program; does nothing without one. */
export interface Notifier {
  /** The program works, and the watchdog begins. `status` is one line for people. */
  ready(status: string): void;
  /** Replaces the line for people. */
  status(text: string): void;
  /** The program is about to end. */
  stopping(status: string): void;
  /** Resolves when no message is on its way, after two seconds at most. The process does not end meanwhile. */
  sent(): Promise<void>;
  /** Ends the watchdog and gives up on what was not sent. */
  close(): void;
}

const PATH_DEFAULT = '/usr/bin:/bin';
const RETRY_MS = 5_000;
/** Longer than `systemd-notify` waits for systemd itself. */
const LIMIT_MS = 10_000;
const STATUS_MAX = 200;
/** A program that ends waits for its last message no longer. */
const SENT_MS = 2_000;

/** One line without control characters: a line break would begin another assignment. */
const lineOf = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').slice(0, STATUS_MAX);

/** Creates a notifier. Nothing that it does later blocks or throws. Create it early: see `notify-program.ts`. */
export function notifierFor({ notifySocket, watchdogMs }: Service, options: NotifierOptions): Notifier {
  const { path = PATH_DEFAULT, onFailure, retryMs = RETRY_MS, limitMs = LIMIT_MS } = options;
  /** Assignments that wait, by their names. */
  let waiting = new Map<string, string>();
  const program = notifySocket === undefined ? undefined : startNotifyProgram(notifySocket, path, limitMs);
  let running: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let watchdog: NodeJS.Timeout | undefined;
  let isFailing = false;
  let isOver = program === undefined;

  function failed(error: Error, news: ReadonlyMap<string, string>): void {
    if (!isFailing) onFailure(error);
    isFailing = true;
    if (error instanceof NotifyProgramMissing) close();
    if (isOver) return;
    waiting = new Map([...news, ...waiting]);
    retry = setTimeout(next, retryMs).unref();
  }

  async function sendWaiting(): Promise<void> {
    const news = waiting;
    waiting = new Map();
    try {
      await program?.send([...news].map(([name, value]) => `${name}=${value}`));
      isFailing = false;
    } catch (error) {
      failed(error as Error, news);
    }
  }

  function next(): void {
    clearTimeout(retry);
    retry = undefined;
    if (isOver || running !== undefined || waiting.size === 0) return;
    running = sendWaiting().then(() => {
      running = undefined;
      if (retry === undefined) next();
    });
  }

  function send(news: Readonly<Record<string, string>>): void {
    if (isOver) return;
    for (const [name, value] of Object.entries(news)) waiting.set(name, value);
    if (retry === undefined) next();
  }

  function close(): void {
    isOver = true;
    clearInterval(watchdog);
    clearTimeout(retry);
    waiting.clear();
    program?.close();
  }

  return {
    ready(status) {
      send({ READY: '1', STATUS: lineOf(status) });
      if (watchdogMs === undefined || isOver) return;
      // The timer runs only while the event loop turns, which is what the watchdog proves. It looks at nothing else:
      // a restart cannot repair a database or a network.
      watchdog ??= setInterval(() => send({ WATCHDOG: '1' }), watchdogMs / 2).unref();
    },
    status: (text) => send({ STATUS: lineOf(text) }),
    stopping: (status) => send({ STOPPING: '1', STATUS: lineOf(status) }),
    async sent() {
      // The program of a message does not keep this process alive: it would end, and lose what waits.
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, SENT_MS);
      const all = async () => {
        while (running !== undefined) await running;
      };
      await Promise.race([all(), late.promise]);
      clearTimeout(timer);
    },
    close,
  };
}
