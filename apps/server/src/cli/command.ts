// What a command of the server's command line is.
import type { ParseArgsOptionDescriptor } from 'node:util';
import type { Config } from '../config.ts';

/** The command line makes no sense. The message is one line and never repeats a value, which might be a secret. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command makes sense and cannot be done. The message is one line, fit to print. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Where a command reads and writes. Secrets go to `out` alone, so that they can be piped; remarks go to `say`. */
export interface Streams {
  /** A line on standard output. */
  out(line: string): void;
  /** A line on standard error. */
  say(line: string): void;
  /** All of standard input. */
  readInput(): Promise<string>;
}

/** What a command is run with. */
export interface CommandCall extends Streams {
  /** As many as the command has {@link Command.parameters}. */
  readonly args: readonly string[];
  /** Value of an option that was given. */
  option(name: string): string | undefined;
  /** Whether a flag was given. */
  flag(name: string): boolean;
  /** The configuration, from the same environment as the server's. */
  readonly config: () => Config;
}

/** An option of a command. */
export interface CommandOption extends ParseArgsOptionDescriptor {
  readonly help: string;
  /** What stands for its value in the help. */
  readonly value?: string;
}

/** One command. */
export interface Command {
  /** `noun verb`, as it is typed. */
  readonly name: string;
  readonly parameters: readonly string[];
  readonly summary: string;
  readonly options?: Readonly<Record<string, CommandOption>>;
  /**
   * @throws UsageError, Refusal, ConfigError or DatabaseError, whose messages are fit to print
   */
  run(call: CommandCall): Promise<void>;
}
