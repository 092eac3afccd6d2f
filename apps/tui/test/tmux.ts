// A real terminal for end-to-end tests: a tmux server of our own, on a socket of its own, gone when the test is.
import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Longest wait for anything; only a failing test ever waits so long. */
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 50;

/** Why there can be no tmux here; undefined where there can. */
export function tmuxProblem(): string | undefined {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'tmux is not installed (apt-get install tmux): the end-to-end tests of the dashboard cannot run';
  }
}

/** What to run in which terminal. */
export interface TmuxOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** For the shell. */
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** One terminal with a program in it. */
export interface Tmux extends AsyncDisposable {
  /** Keys as tmux names them: `Enter`, `Escape`, `C-c`. */
  readonly keys: (...keys: string[]) => Promise<void>;
  /** Text as it is. */
  readonly type: (text: string) => Promise<void>;
  readonly capture: () => Promise<string>;
  readonly waitForText: (text: string | RegExp) => Promise<string>;
  /** A format of tmux, for example `#{alternate_on}`. */
  readonly ask: (format: string) => Promise<string>;
  readonly resize: (columns: number, rows: number) => Promise<void>;
  /** What the program in it has put into the clipboard of the terminal. */
  readonly clipboard: () => Promise<string>;
}

/** Starts a program in a terminal of its own. */
export async function startTmux({ columns = 80, rows = 24, command, env = {} }: TmuxOptions): Promise<Tmux> {
  const socket = `quarterdeck-${randomUUID()}`;
  // tmux leaves its sockets behind, so they get a folder that does not stay.
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-tmux-'));
  const surroundings = { ...process.env, TMUX_TMPDIR: folder };
  const tmux = async (...args: string[]): Promise<string> =>
    (await run('tmux', ['-L', socket, '-f', '/dev/null', ...args], { env: surroundings })).stdout;
  const size = ['-x', String(columns), '-y', String(rows)];
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
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
    resize: async (newColumns, newRows) =>
      void (await tmux('resize-window', '-x', String(newColumns), '-y', String(newRows))),
    clipboard: () => tmux('show-buffer'),
    async [Symbol.asyncDispose]() {
      await tmux('kill-server').catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
