// Runs a dashboard in a real pty, with a model of its screen.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import xterm from '@xterm/headless';
import { spawn } from 'node-pty';
import { newFolder } from '../processes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The program as people start it, and the same screens drawn by plain Ink. */
export const VARIANTS = {
  ours: `${root}apps/cli/dist/main.js`,
  'plain Ink': `${root}bench/tui/plain-ink.ts`,
} as const;

export type Variant = keyof typeof VARIANTS;

/** Variant, window and server of a measurement. */
export interface Options {
  readonly variant: Variant;
  readonly columns: number;
  readonly rows: number;
  readonly url: string;
  readonly token: string;
  readonly nodeOptions?: readonly string[];
}

/** Compile cache, kept between starts as for a real user. */
const CACHE = newFolder();

/** Variables that change how Ink draws. */
const CLEARED_VARIABLES: ReadonlySet<string> = new Set(['CI', 'NODE_ENV', 'NO_COLOR']);

/** Maximum wait for anything. */
const PATIENCE_MS = 20_000;

export class Dashboard {
  /** Milliseconds from the start to the first character on the screen. */
  firstMs: number | undefined;
  /** Bytes written since the start. */
  bytes = 0;
  readonly startedAtMs = performance.now();
  readonly pid: number;
  readonly exited: Promise<void>;
  readonly #pty: ReturnType<typeof spawn>;
  readonly #terminal: xterm.Terminal;
  readonly #watchers = new Set<() => void>();
  #output = '';

  constructor({ variant, columns, rows, url, token, nodeOptions = [] }: Options) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 0 });
    const inherited = Object.entries(process.env).filter(([name]) => !CLEARED_VARIABLES.has(name));
    this.#pty = spawn(process.execPath, [...nodeOptions, VARIANTS[variant]], {
      cols: columns,
      rows,
      name: 'xterm-256color',
      env: {
        ...Object.fromEntries(inherited),
        // NODE_ENV for plain Ink; our build sets it itself.
        ...(variant === 'ours' ? {} : { NODE_ENV: 'production' }),
        // As most terminals: true colours on a dark background, whose sequences are the longest.
        TERM: 'xterm-256color',
        COLORTERM: 'truecolor',
        COLORFGBG: '15;0',
        // With glyphs, as most terminals show them.
        LC_ALL: 'C.UTF-8',
        QUARTERDECK_URL: url,
        QUARTERDECK_TOKEN: token,
        // No settings or state of the user who runs this.
        XDG_CONFIG_HOME: '/dev/null/none',
        XDG_STATE_HOME: '/dev/null/none',
        XDG_CACHE_HOME: CACHE,
      },
    });
    this.pid = this.#pty.pid;
    this.exited = new Promise((resolve) => this.#pty.onExit(() => resolve()));
    this.#pty.onData((data) => {
      this.bytes += Buffer.byteLength(data);
      this.#output = (this.#output + data).slice(-4_000);
      this.#terminal.write(data, () => {
        if (this.firstMs === undefined && this.text().trim() !== '')
          this.firstMs = performance.now() - this.startedAtMs;
        for (const watcher of this.#watchers) watcher();
      });
    });
  }

  text(): string {
    return Array.from(
      { length: this.#terminal.rows },
      (_, row) => this.#terminal.buffer.active.getLine(row)?.translateToString(true) ?? '',
    ).join('\n');
  }

  /** Positions of the marks of selected rows. */
  marks(): string {
    return this.text()
      .split('\n')
      .flatMap((line, row) => (line.includes('▌') ? [`${row}:${line.indexOf('▌')}`] : []))
      .join(' ');
  }

  /** The newest output, for the inspector's address. */
  output(): string {
    return this.#output;
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  /** Waits until the condition holds and resolves with the milliseconds it took. */
  async until(what: string, condition: () => boolean): Promise<number> {
    const since = performance.now();
    if (condition()) return 0;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error(`never saw ${what} in:\n${this.text()}`)), PATIENCE_MS);
    const check = (): void => {
      if (condition()) resolve();
    };
    this.#watchers.add(check);
    try {
      await promise;
      return performance.now() - since;
    } finally {
      clearTimeout(timer);
      this.#watchers.delete(check);
    }
  }

  /** Waits until nothing was written for a while, and resolves with the bytes written since `from`. */
  async quiet(from: number, forMs = 250): Promise<number> {
    for (let before = -1; before !== this.bytes; ) {
      before = this.bytes;
      await new Promise((resolve) => setTimeout(resolve, forMs));
    }
    return this.bytes - from;
  }

  /** Processor time in seconds. */
  cpuS(): number {
    const fields = readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  /** Resident memory in MB. */
  memoryMb(): number {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1]) / 1024;
  }

  async stop(): Promise<void> {
    this.#pty.kill('SIGTERM');
    await this.exited;
    this.#terminal.dispose();
  }
}
