// Runs the built dashboard in a pty, with a model of the screen and the terminal's modes.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type IPty, spawn } from 'node-pty';
import { createScreen, type Screen } from './cells.ts';

/** The shipped program. */
export const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** True if the dashboard is built. */
export const isBuilt = existsSync(MAIN);

/** Longest wait; only a failing test waits that long. */
const PATIENCE_MS = 50_000;

/** Options of {@link startPty}. */
export interface PtyOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** The dashboard by default. */
  readonly command?: readonly [program: string, ...args: string[]];
  readonly env?: Readonly<Record<string, string>>;
}

/** A program in a terminal. */
export interface Pty extends AsyncDisposable {
  readonly pty: IPty;
  readonly screen: Screen;
  readonly text: () => string;
  /** Everything written so far. */
  readonly raw: () => string;
  readonly type: (text: string) => void;
  readonly waitFor: (what: string, condition: () => boolean) => Promise<void>;
  readonly waitForText: (text: string | RegExp) => Promise<void>;
  readonly resize: (columns: number, rows: number) => void;
  readonly exit: Promise<{ readonly exitCode: number; readonly signal?: number | undefined }>;
  /** Alternate screen, autowrap, bracketed paste, cursor, mouse: modes that a program may leave behind. */
  readonly modes: () => {
    readonly alternate: boolean;
    readonly wraps: boolean;
    readonly pastes: boolean;
    readonly cursor: boolean;
    readonly mouse: boolean;
  };
}

/** Modes of an untouched terminal. */
export const UNTOUCHED = { alternate: false, wraps: true, pastes: false, cursor: true, mouse: false } as const;

/** Starts a program. */
export function startPty(options: PtyOptions = {}): Pty {
  const { columns = 80, rows = 24, command = [process.execPath, MAIN], env = {} } = options;
  const screen = createScreen(columns, rows);
  const [program, ...args] = command;
  const { CI: _ci, NO_COLOR: _plain, ...environment } = process.env;
  const pty = spawn(program, args, {
    cols: columns,
    rows,
    name: env['TERM'] ?? 'xterm-256color',
    env: {
      ...environment,
      // The program reads no settings of the developer, and can write none, not even as root.
      XDG_CONFIG_HOME: '/dev/null/none',
      XDG_STATE_HOME: '/dev/null/none',
      XDG_CACHE_HOME: '/dev/null/none',
      TERM: 'xterm-256color',
      NODE_ENV: 'production',
      // The tests read glyphs, in any locale of the developer.
      LC_ALL: 'C.UTF-8',
      ...env,
    },
  });
  const watchers = new Set<() => void>();
  const exit = new Promise<{ exitCode: number; signal?: number | undefined }>((resolve) => pty.onExit(resolve));
  let isOver = false;
  void exit.then(() => {
    isOver = true;
  });
  let raw = '';
  pty.onData((data) => {
    raw += data;
    screen.terminal.write(data, () => {
      for (const watcher of watchers) watcher();
    });
  });
  const text = (): string => screen.text().join('\n');
  const waitFor = async (what: string, condition: () => boolean): Promise<void> => {
    if (condition()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error(`never saw ${what} in:\n${text()}`)), PATIENCE_MS);
    const check = (): void => {
      if (condition()) resolve();
    };
    watchers.add(check);
    await promise.finally(() => {
      clearTimeout(timer);
      watchers.delete(check);
    });
  };
  return {
    pty,
    screen,
    text,
    raw: () => raw,
    type: (typed) => pty.write(typed),
    waitFor,
    waitForText: (wanted) =>
      waitFor(String(wanted), () => (typeof wanted === 'string' ? text().includes(wanted) : wanted.test(text()))),
    resize(newColumns, newRows) {
      screen.terminal.resize(newColumns, newRows);
      pty.resize(newColumns, newRows);
    },
    exit,
    modes: () => ({
      alternate: screen.terminal.buffer.active.type === 'alternate',
      wraps: screen.terminal.modes.wraparoundMode,
      pastes: screen.terminal.modes.bracketedPasteMode,
      // This terminal does not report the mode, so the last sequence written decides.
      cursor: raw.lastIndexOf('\u001B[?25h') >= raw.lastIndexOf('\u001B[?25l'),
      mouse: screen.terminal.modes.mouseTrackingMode !== 'none',
    }),
    async [Symbol.asyncDispose]() {
      if (!isOver) pty.kill('SIGKILL');
      await exit;
      screen.terminal.dispose();
    },
  };
}
