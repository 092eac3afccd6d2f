// Runs command lines in this process, on folders of their own and with streams that a test can read.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { type Config, readConfig } from '../src/command/config.ts';
import { runCommandLine } from '../src/command-line.ts';
import type { Io } from '../src/terminal/io.ts';

/** Result of a command line. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  /** Standard input. */
  readonly input?: string;
  /** Columns of the terminal that shows the output; a pipe without. */
  readonly columns?: number;
  /** Environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Answers the first question of the command, as a person at a terminal. */
  readonly answer?: () => Promise<string>;
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
    async run(args, { input = '', columns, environment = {}, answer } = {}) {
      const stdout = collecting(columns);
      const stderr = collecting(answer === undefined ? columns : 80);
      const stdin = answer === undefined ? Readable.from([Buffer.from(input)]) : person(answer);
      const io = { stdin, stdout, stderr } as unknown as Io;
      const code = await runCommandLine(args, io, () => ({
        io,
        config: { ...readConfig({ QUARTERDECK_KEYRING: 'off', ...environment }), ...config },
        folders: { config: join(folder, 'config'), state: join(folder, 'state') },
        now: Date.now,
      }));
      return { code, out: stdout.text(), err: stderr.text() };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A person at a terminal, who answers when the first question reads. */
function person(answer: () => Promise<string>) {
  async function* typed() {
    yield `${await answer()}\n`;
  }
  return Object.assign(Readable.from(typed()), { isTTY: true });
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
