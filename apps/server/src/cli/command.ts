// Types of the server's commands.
import type { ParseArgsOptionDescriptor } from 'node:util';
import type { Database } from '@quarterdeck/core/db';
import type { Environment } from '@quarterdeck/core/environment';
import type { KeyRing } from '../auth/key-ring.ts';
import type { Passwords } from '../auth/passwords.ts';
import type { AuditLog } from '../features/audit/audit.log.ts';
import type { Config } from '../settings/config.ts';

/** Input and output of a command. Secrets go to `out` alone, so that they can be piped; remarks go to `say`. */
export interface Streams {
  /** Prints a line on standard output. */
  out(line: string): void;
  /** Prints a line on standard error. */
  say(line: string): void;
  /** Resolves when the reader has taken most of what was printed. Without it all of it waits in memory. */
  drained?(): Promise<unknown>;
  /** Reads all of standard input. */
  readInput(): Promise<string>;
}

/** Open data of an installation. */
export interface Data extends AsyncDisposable {
  readonly db: Database;
  readonly key: KeyRing;
  readonly audit: AuditLog;
  readonly passwords: () => Promise<Passwords>;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Settings and data that commands work on: those of this process, or of the server that runs the command. */
export interface Installation {
  readonly config: () => Config;
  readonly openData: () => Promise<Data>;
  /** A running server runs the command, with its own settings. */
  readonly inServer: boolean;
}

/** Input of a run of a command. */
export interface CommandCall extends Streams, Installation {
  /** Environment to read settings from; undefined is that of this process. */
  readonly env?: Environment | undefined;
  /** Values of {@link Command.parameters}. */
  readonly args: readonly string[];
  /** Returns the value of an option; undefined where it was not given. */
  option(name: string): string | undefined;
  /** True where a flag was given. */
  flag(name: string): boolean;
}

export interface CommandOption extends ParseArgsOptionDescriptor {
  readonly help: string;
  /** Name of its value in the help. */
  readonly value?: string;
}

export interface Command {
  /** Words that select it: `noun verb`. */
  readonly name: string;
  /** Names of its arguments; those in brackets come last and may be left out. */
  readonly parameters: readonly string[];
  readonly summary: string;
  readonly options?: Readonly<Record<string, CommandOption>>;
  /** True where it opens the data: a live server on SQLite then runs it. May depend on the arguments. */
  readonly onData?: boolean | ((args: readonly string[]) => boolean);
  /**
   * @throws UsageError, Refusal, ConfigError or DatabaseError, whose messages are fit to print
   */
  run(call: CommandCall): Promise<void>;
}
