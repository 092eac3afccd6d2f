// Runs the dashboard with real Ink, the real SDK and a fake server. Draws as the bundle does, but into cells instead of
// a terminal, and only when a test looks. Tests wait for text on the screen, never for time.
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadExpressions } from '@quarterdeck/core/filter';
import chalk from 'chalk';
import { Box, type DOMElement, render } from 'ink';
import { expect, onTestFinished, vi } from 'vitest';
// Ink does not export this module; the bundle draws with it too.
import renderNodeToOutput from '../node_modules/ink/build/render-node-to-output.js';
import { App } from '../src/dashboard/app.tsx';
import type { Session } from '../src/data/session.ts';
import type { Folders } from '../src/profiles/files.ts';
import type { Profile } from '../src/profiles/profile.ts';
import { DEFAULTS, type Settings } from '../src/settings/settings.ts';
import type { CredentialStore } from '../src/start/config.ts';
import { prepare } from '../src/start/start.ts';
import type { BackgroundPrograms } from '../src/system/background-programs.ts';
import { NO_CLIPBOARD } from '../src/system/clipboard.ts';
import { Composer } from '../src/terminal/composer.ts';
import type { Compositor } from '../src/terminal/compositor.ts';
import { FrameSink } from '../src/terminal/host.tsx';
import { CompositorContext } from '../src/terminal/ink.ts';
import CellOutput from '../src/terminal/ink-output.ts';
import type { Row } from '../src/terminal/row.ts';
import { FakeServer } from './fake-server.ts';
// The SDK loads these when they are used. Here they are read from the disk before the clock of the tests starts, which
// would go on meanwhile.
import '../../../packages/sdk/src/events.ts';
import '../../../packages/sdk/src/export.ts';
import '../../../packages/sdk/src/lines.ts';

await loadExpressions();

// As in terminal/stage.tsx: test runs have no terminal, and styles are cached.
chalk.level = 3;

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

/** Longest wait in time of the dashboard, and in real time; only a failing test waits that long. */
const PATIENCE_MS = 120_000;
const REAL_PATIENCE_MS = 30_000;
/** Turns of the event loop without a request or a picture, after which the dashboard waits for nothing but time. */
const QUIET_TURNS = 6;
/** Interval of looks at the work of the disk. */
const LOOK_AGAIN_MS = 10;

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
  /** Runs custom commands; by default they are real programs, whose time does not pass. */
  readonly backgroundPrograms?: BackgroundPrograms;
  /** Draws every change, also those that the test does not look at, for `everShown`. */
  readonly keepsLines?: boolean;
}

/** Input that was sent. */
export interface Sent {
  /** Waits for one text after the other. */
  readonly until: (...texts: (string | RegExp)[]) => Promise<void>;
  readonly untilGone: (...texts: (string | RegExp)[]) => Promise<void>;
}

/** The dashboard under test. */
export interface Tui extends AsyncDisposable {
  readonly server: FakeServer;
  /** Rows of the screen without trailing blanks. */
  readonly lines: () => readonly string[];
  readonly text: () => string;
  /** The selected row; empty without one. */
  readonly selected: () => string;
  /** Column in which a text begins on a row, in cells; -1 if it is not there. */
  readonly columnOf: (row: number, text: string) => number;
  /** Every line that was ever shown. Needs the option `keepsLines`. */
  readonly everShown: () => string;
  /** The text that was copied last; null before the first one. */
  readonly copied: () => string | null;
  /** Sends keys, by name or as text, each in a chunk of its own. */
  readonly press: (...keys: string[]) => Sent;
  /** Sends text in one chunk. */
  readonly type: (text: string) => Sent;
  readonly paste: (text: string) => Sent;
  readonly waitFor: (what: string, condition: () => boolean) => Promise<void>;
  /** Waits for one text after the other. */
  readonly waitForText: (...texts: (string | RegExp)[]) => Promise<void>;
  readonly waitForNoText: (...texts: (string | RegExp)[]) => Promise<void>;
  readonly resize: (columns: number, rows: number) => void;
  readonly exited: Promise<unknown>;
  readonly isRaw: () => boolean;
  /** Does what leaving the dashboard does to the session. */
  readonly leave: () => Promise<void>;
}

const lineOf = ({ texts }: Row): string => texts.join('').trimEnd();

interface Screen {
  readonly compositor: Compositor;
  readonly rows: () => readonly Row[];
  readonly lines: () => readonly string[];
  /** Takes over the drawing of Ink's tree, which begins at the root of this node. */
  readonly adopt: (node: DOMElement | null) => void;
  readonly changed: () => void;
  /** Number of changes so far. */
  readonly changes: () => number;
}

/** Creates a screen without a terminal. It is drawn when it is read after a change. */
function createScreen(size: { readonly columns: number; readonly rows: number }, onChange: () => void): Screen {
  const composer = new Composer();
  let root: DOMElement | null = null;
  let shown: readonly Row[] = [];
  let lines: readonly string[] = [];
  let isDirty = true;
  let changes = 0;
  const changed = (): void => {
    isDirty = true;
    changes += 1;
    onChange();
  };
  const rows = (): readonly Row[] => {
    if (!isDirty || root?.yogaNode === undefined) return shown;
    isDirty = false;
    const output = new CellOutput({ width: size.columns, height: size.rows });
    renderNodeToOutput(root, output as unknown as Parameters<typeof renderNodeToOutput>[1], {
      skipStaticElements: true,
    });
    composer.read(output.get().output, size.columns);
    const before = shown;
    shown = composer.compose(size.columns, size.rows, before);
    lines = shown.map((row, index) => (row === before[index] ? lines[index] : undefined) ?? lineOf(row));
    return shown;
  };
  return {
    changed,
    changes: () => changes,
    rows,
    lines() {
      rows();
      return lines;
    },
    // Regions use nothing else of a compositor.
    compositor: { open: (position) => composer.open(position, changed) } as Pick<Compositor, 'open'> as Compositor,
    adopt(node) {
      root = node;
      while (root?.parentNode !== undefined) root = root.parentNode;
      // Ink calls this after every commit.
      if (root !== null) root.onRender = changed;
      changed();
    },
  };
}

/** Dashboards on the clock of the tests. */
let clocks = 0;

/** Stops real time. It goes on when every dashboard has ended, also one whose test has failed. */
function startClock(): { readonly stop: () => void } {
  if (clocks === 0) {
    vi.useFakeTimers({
      now: Date.now(),
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    });
  }
  clocks += 1;
  let isStopped = false;
  const stop = (): void => {
    if (isStopped) return;
    isStopped = true;
    clocks -= 1;
    if (clocks === 0) vi.useRealTimers();
  };
  onTestFinished(stop);
  return { stop };
}

/** Starts a dashboard. */
export function renderTui(options: TuiOptions = {}): Tui {
  const { columns = 80, rows = 24, server = new FakeServer(), signedIn = true, color = true } = options;
  const clock = startClock();
  const size = { columns, rows };
  const everShown = new Set<string>();
  let copied: string | null = null;
  const screen = createScreen(size, () => {
    if (options.keepsLines === true) setImmediate(() => screen.lines().forEach((line) => void everShown.add(line)));
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
  const prepared = prepare(
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
  const start = { ...prepared, backgroundPrograms: options.backgroundPrograms ?? prepared.backgroundPrograms };
  let session: Session | undefined;
  const stdout = new FrameSink({ size: () => size, onFrame: () => undefined });
  // Ink itself draws its first and its last tree, which are therefore empty.
  const instance = render(<Box ref={screen.adopt} />, {
    stdout: stdout as unknown as NodeJS.WriteStream,
    stdin: stdin as unknown as NodeJS.ReadStream,
    stderr: stdout as unknown as NodeJS.WriteStream,
    interactive: true,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  const quit = (): void => {
    instance.rerender(<Box />);
    instance.unmount();
  };
  instance.rerender(
    <CompositorContext value={screen.compositor}>
      <Box ref={screen.adopt}>
        <App
          start={start}
          onSession={(present) => {
            session = present;
          }}
          copy={(text) => {
            copied = text;
          }}
          quit={quit}
        />
      </Box>
    </CompositorContext>,
  );
  const exited = instance.waitUntilExit();

  const { lines } = screen;
  const text = (): string => lines().join('\n');
  /** Resolves when the dashboard waits for nothing but time or the disk. */
  const settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
      const before = screen.changes() + server.seen.length;
      await new Promise((resolve) => setImmediate(resolve));
      if (screen.changes() + server.seen.length !== before) quiet = -1;
    }
  };
  const waitFor = async (what: string, condition: () => boolean): Promise<void> => {
    const untilMs = Date.now() + PATIENCE_MS;
    const startedMs = performance.now();
    await settle();
    while (!condition() && performance.now() - startedMs < REAL_PATIENCE_MS) {
      if (Date.now() < untilMs) vi.advanceTimersToNextTimer();
      else await sleep(LOOK_AGAIN_MS);
      await settle();
    }
    const isSeen = condition();
    expect(isSeen, isSeen ? '' : `sees ${what} in:\n${text()}`).toBe(true);
  };
  const has = (wanted: string | RegExp): boolean =>
    typeof wanted === 'string' ? text().includes(wanted) : wanted.test(text());

  const waitForText: Tui['waitForText'] = async (...texts) => {
    for (const wanted of texts) await waitFor(String(wanted), () => has(wanted));
  };
  const waitForNoText: Tui['waitForNoText'] = async (...texts) => {
    for (const unwanted of texts) await waitFor(`the end of ${String(unwanted)}`, () => !has(unwanted));
  };
  const send = (...chunks: string[]): Sent => {
    for (const chunk of chunks) stdin.write(chunk);
    return { until: waitForText, untilGone: waitForNoText };
  };

  return {
    server,
    lines,
    text,
    selected: () => lines().find((line) => line.startsWith('▌')) ?? '',
    columnOf(row, wanted) {
      const cells = screen.rows()[row]?.texts ?? [];
      return cells.findIndex((cell, column) => cell !== '' && cells.slice(column).join('').startsWith(wanted));
    },
    everShown() {
      if (options.keepsLines !== true) throw new Error('everShown() needs the option keepsLines');
      return [...everShown].join('\n');
    },
    copied: () => copied,
    press: (...keys) => send(...keys.map((key) => KEYS[key] ?? key)),
    type: send,
    paste: (pasted) => send(`\u001B[200~${pasted}\u001B[201~`),
    waitFor,
    waitForText,
    waitForNoText,
    resize(newColumns, newRows) {
      size.columns = newColumns;
      size.rows = newRows;
      stdout.emit('resize');
      screen.changed();
    },
    exited,
    isRaw: () => stdin.isRaw,
    leave: async () => session?.leave(1_000),
    async [Symbol.asyncDispose]() {
      quit();
      await exited.catch(() => undefined);
      session?.close();
      clock.stop();
    },
  };
}

/** Starts a dashboard and waits for a text. */
export async function openTui(first: string | RegExp, options: TuiOptions = {}): Promise<Tui> {
  const tui = renderTui(options);
  try {
    await tui.waitForText(first);
  } catch (error) {
    await tui[Symbol.asyncDispose]();
    throw error;
  }
  return tui;
}
