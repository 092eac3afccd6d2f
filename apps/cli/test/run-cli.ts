// Runs command lines in this process, on folders of their own and with streams that a test can read.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { Config } from '../src/command/config.ts';
import { runCommandLine } from '../src/command-line.ts';
import type { Io } from '../src/terminal/io.ts';

/** Result of a command line. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Options of one run. */
export interface RunOptions {
  /** Standard input. */
  readonly input?: string;
  /** Columns of the terminal that shows the output; a pipe without. */
  readonly columns?: number;
}

/** Command lines of one user. */
export interface TestUser extends Disposable {
  readonly folder: string;
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Ran>;
}

/** Creates a user without files. */
export function newUser(config: Partial<Config> = {}): TestUser {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-commands-'));
  return {
    folder,
    async run(args, { input = '', columns } = {}) {
      const stdout = collecting(columns);
      const stderr = collecting(columns);
      const io = { stdin: Readable.from([Buffer.from(input)]), stdout, stderr } as unknown as Io;
      const code = await runCommandLine(args, io, () => ({
        io,
        config: { url: undefined, token: undefined, hasKeyring: false, ...config },
        folders: { config: join(folder, 'config'), state: join(folder, 'state') },
        now: Date.now,
      }));
      return { code, out: stdout.text(), err: stderr.text() };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A stream that keeps its text. */
function collecting(columns?: number) {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  const terminal =
    columns === undefined ? {} : { isTTY: true, columns, getColorDepth: () => 1, hasColors: () => false };
  return Object.assign(stream, terminal, { text: () => chunks.join('') });
}
