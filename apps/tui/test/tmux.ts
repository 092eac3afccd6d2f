// A tmux server for end-to-end tests, on its own socket, removed after the test.
import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Longest wait; only a failing test waits that long. */
const PATIENCE_MS = 50_000;
const LOOK_EVERY_MS = 50;

/** Returns the reason why tmux cannot run; undefined if it can. */
export function tmuxProblem(): string | undefined {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'tmux is not installed (apt-get install tmux): the end-to-end tests of the dashboard cannot run';
  }
}

/** Options of {@link startTmux}. */
export interface TmuxOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** Shell command. */
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A terminal with a program. */
export interface Tmux extends AsyncDisposable {
  /** Sends keys by their tmux names: `Enter`, `Escape`, `C-c`. */
  readonly keys: (...keys: string[]) => Promise<void>;
  /** Sends text unchanged. */
  readonly type: (text: string) => Promise<void>;
  readonly capture: () => Promise<string>;
  readonly waitForText: (text: string | RegExp) => Promise<string>;
  /** Expands a tmux format, for example `#{alternate_on}`. */
  readonly ask: (format: string) => Promise<string>;
  /** Returns the text that the program copied to the terminal's clipboard. */
  readonly clipboard: () => Promise<string>;
}

/** Starts a program in a terminal. */
export async function startTmux({ columns = 80, rows = 24, command, env = {} }: TmuxOptions): Promise<Tmux> {
  const socket = `quarterdeck-${randomUUID()}`;
  // tmux leaves sockets behind, so they get a temporary folder.
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-tmux-'));
  const surroundings = { ...process.env, TMUX_TMPDIR: folder };
  const tmux = async (...args: string[]): Promise<string> =>
    (await run('tmux', ['-L', socket, '-f', '/dev/null', ...args], { env: surroundings })).stdout;
  const size = ['-x', String(columns), '-y', String(rows)];
  const variables = Object.entries({ LC_ALL: 'C.UTF-8', ...env }).flatMap(([name, value]) => [
    '-e',
    `${name}=${value}`,
  ]);
  await tmux('new-session', '-d', ...size, ...variables, command);
  await tmux('set-option', '-g', 'status', 'off');
  await tmux('resize-window', ...size);

  const capture = (): Promise<string> => tmux('capture-pane', '-p');
  return {
    keys: async (...keys) => void (await tmux('send-keys', ...keys)),
    type: async (text) => void (await tmux('send-keys', '-l', text)),
    capture,
    async waitForText(text) {
      const until = Date.now() + PATIENCE_MS;
      for (;;) {
        const screen = await capture();
        if (typeof text === 'string' ? screen.includes(text) : text.test(screen)) return screen;
        if (Date.now() > until) throw new Error(`never saw ${String(text)} in:\n${screen}`);
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    },
    ask: async (format) => (await tmux('display-message', '-p', format)).trim(),
    clipboard: () => tmux('show-buffer'),
    async [Symbol.asyncDispose]() {
      await tmux('kill-server').catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
