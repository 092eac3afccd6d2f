// Runs the dashboard in a terminal emulator, with real Ink, the real SDK and a fake server. Tests wait for text on the
// screen, never for time.
import { PassThrough, Writable } from 'node:stream';
import xterm from '@xterm/headless';
import { render } from 'ink';
import { App } from '../src/app.tsx';
import type { CredentialStore } from '../src/config.ts';
import { clipboardSequence, NO_CLIPBOARD } from '../src/dashboard/clipboard.ts';
import type { Session } from '../src/data/session.ts';
import type { Folders } from '../src/profiles/files.ts';
import type { Profile } from '../src/profiles/profile.ts';
import { DEFAULTS, type Settings } from '../src/settings/settings.ts';
import { prepare } from '../src/start.ts';
import { FakeServer } from './fake-server.ts';

/** Names of keys and their bytes. Any other text is sent unchanged. */
const KEYS: Readonly<Record<string, string>> = {
  enter: '\r',
  escape: '\u001B',
  tab: '\t',
  'shift+tab': '\u001B[Z',
  up: '\u001B[A',
  down: '\u001B[B',
  right: '\u001B[C',
  left: '\u001B[D',
  pagedown: '\u001B[6~',
  pageup: '\u001B[5~',
  home: '\u001B[H',
  end: '\u001B[F',
  backspace: '\u007F',
  delete: '\u001B[3~',
  space: ' ',
  'ctrl+c': '\u0003',
  'ctrl+d': '\u0004',
  'ctrl+r': '\u0012',
  'ctrl+u': '\u0015',
};

/** Longest wait; only a failing test waits that long. */
const PATIENCE_MS = 8_000;

class FakeStdout extends Writable {
  readonly isTTY = true;
  /** Everything written so far. */
  raw = '';
  readonly #terminal: xterm.Terminal;
  readonly #painted: () => void;

  constructor(terminal: xterm.Terminal, painted: () => void) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    this.#painted = painted;
  }

  get columns(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    const text = chunk.toString();
    this.raw += text;
    this.#terminal.write(text, () => {
      done();
      this.#painted();
    });
  }
}

class FakeStdin extends PassThrough {
  readonly isTTY = true;
  isRaw = false;

  setRawMode(raw: boolean): this {
    this.isRaw = raw;
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** Options of {@link renderTui}. */
export interface TuiOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly server?: FakeServer;
  /** If false, no API token is configured and the dashboard starts with the sign-in. */
  readonly signedIn?: boolean;
  readonly color?: boolean;
  readonly screenReader?: boolean;
  readonly settings?: Partial<Settings>;
  readonly profile?: Partial<Profile>;
  /** Name of the option --profile. */
  readonly profileName?: string;
  /** The terminal shows UTF-8; it does by default. */
  readonly isUtf8?: boolean;
  /** Folders of the settings, which then come from there; no files by default. */
  readonly folders?: Folders;
  /** The store of sessions; none by default. */
  readonly credentials?: CredentialStore;
}

/** The dashboard under test. */
export interface Tui extends AsyncDisposable {
  readonly server: FakeServer;
  /** Rows of the screen without trailing blanks. */
  readonly lines: () => string[];
  readonly text: () => string;
  /** Column in which a text begins on a row, in cells; -1 if it is not there. */
  readonly columnOf: (row: number, text: string) => number;
  /** Everything written to the terminal so far. */
  readonly raw: () => string;
  /** Sends keys, by name or as text, each in a chunk of its own. */
  readonly press: (...keys: string[]) => void;
  /** Sends text in one chunk. */
  readonly type: (text: string) => void;
  readonly paste: (text: string) => void;
  readonly waitFor: (what: string, condition: () => boolean) => Promise<void>;
  readonly waitForText: (text: string | RegExp) => Promise<void>;
  readonly waitForNoText: (text: string | RegExp) => Promise<void>;
  readonly resize: (columns: number, rows: number) => void;
  readonly exited: Promise<unknown>;
  readonly isRaw: () => boolean;
  readonly isAlternate: () => boolean;
  /** Does what leaving the dashboard does to the session. */
  readonly leave: () => Promise<void>;
}

/** Starts a dashboard. */
export function renderTui(options: TuiOptions = {}): Tui {
  const { columns = 80, rows = 24, server = new FakeServer(), signedIn = true, color = true } = options;
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    allowProposedApi: true,
    scrollback: 0,
    // Converts line ends as a terminal driver does.
    convertEol: true,
    // The emulator warns when it is slow, as on a loaded machine.
    logLevel: 'off',
  });
  const watchers = new Set<() => void>();
  const stdout = new FakeStdout(terminal, () => {
    for (const watcher of watchers) watcher();
  });
  const stdin = new FakeStdin();
  const profile: Profile = {
    name: 'Quarterdeck',
    url: server.url,
    color: 'none',
    readOnly: false,
    isProtected: false,
    ...options.profile,
  };
  const start = prepare(
    {
      mode: 'screen',
      profile,
      hasAddress: true,
      profileName: options.profileName,
      token: signedIn ? server.token : undefined,
      color,
      depth: 16,
      background: undefined,
      ascii: undefined,
      isUtf8: options.isUtf8 ?? true,
      movesCursor: true,
      screenReader: options.screenReader ?? false,
      programs: { editor: 'vi', pager: 'less' },
      clipboard: NO_CLIPBOARD,
      demo: false,
      credentials: options.credentials,
    },
    {
      columns,
      folders: options.folders ?? null,
      fetch: server.fetch,
      settings: { ...DEFAULTS, start: 'logs', ...options.settings },
    },
  );
  let session: Session | undefined;
  const app = (
    <App
      start={start}
      onSession={(present) => {
        session = present;
      }}
      copy={(text) => stdout.write(clipboardSequence(text))}
      quit={() => instance.unmount()}
    />
  );
  const instance = render(app, {
    stdout: stdout as unknown as NodeJS.WriteStream,
    stdin: stdin as unknown as NodeJS.ReadStream,
    stderr: stdout as unknown as NodeJS.WriteStream,
    interactive: true,
    alternateScreen: true,
    exitOnCtrlC: false,
    patchConsole: false,
    incrementalRendering: true,
    maxFps: 60,
  });
  const exited = instance.waitUntilExit();

  const lines = (): string[] => {
    const buffer = terminal.buffer.active;
    return Array.from({ length: terminal.rows }, (_, row) => buffer.getLine(row)?.translateToString().trimEnd() ?? '');
  };
  const text = (): string => lines().join('\n');
  const waitFor = async (what: string, condition: () => boolean): Promise<void> => {
    if (condition()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error(`never saw ${what} in:\n${text()}`)), PATIENCE_MS);
    // Some conditions change without a paint.
    const poll = setInterval(() => check(), 20);
    const check = (): void => {
      if (condition()) resolve();
    };
    watchers.add(check);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      clearInterval(poll);
      watchers.delete(check);
    }
  };
  const has = (wanted: string | RegExp): boolean =>
    typeof wanted === 'string' ? text().includes(wanted) : wanted.test(text());

  return {
    server,
    lines,
    text,
    columnOf(row, wanted) {
      const line = terminal.buffer.active.getLine(row);
      for (let column = 0; column < terminal.cols; column += 1) {
        if (line?.translateToString(true, column).startsWith(wanted) === true) return column;
      }
      return -1;
    },
    raw: () => stdout.raw,
    press(...keys) {
      for (const key of keys) stdin.write(KEYS[key] ?? key);
    },
    type: (typed) => void stdin.write(typed),
    paste: (pasted) => void stdin.write(`\u001B[200~${pasted}\u001B[201~`),
    waitFor,
    waitForText: (wanted) => waitFor(String(wanted), () => has(wanted)),
    waitForNoText: (unwanted) => waitFor(`the end of ${String(unwanted)}`, () => !has(unwanted)),
    resize(newColumns, newRows) {
      terminal.resize(newColumns, newRows);
      stdout.emit('resize');
    },
    exited,
    isRaw: () => stdin.isRaw,
    isAlternate: () => terminal.buffer.active.type === 'alternate',
    leave: async () => session?.leave(1_000),
    async [Symbol.asyncDispose]() {
      instance.unmount();
      await exited.catch(() => undefined);
      session?.close();
      terminal.dispose();
    },
  };
}
