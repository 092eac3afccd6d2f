// Types of the server's commands.
import type { ParseArgsOptionDescriptor } from 'node:util';
import type { Config } from '../config.ts';

/** The command line is wrong. The message is one line and never repeats a value, which might be a secret. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command cannot be run. The message is one line, fit to print. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Input and output of a command. Secrets go to `out` alone, so that they can be piped; remarks go to `say`. */
export interface Streams {
  /** Prints a line on standard output. */
  out(line: string): void;
  /** Prints a line on standard error. */
  say(line: string): void;
  /** Reads all of standard input. */
  readInput(): Promise<string>;
}

/** Input of a run of a command. */
export interface CommandCall extends Streams {
  /** Values of {@link Command.parameters}. */
  readonly args: readonly string[];
  /** Returns the value of an option; undefined where it was not given. */
  option(name: string): string | undefined;
  /** True where a flag was given. */
  flag(name: string): boolean;
  /** The configuration, from the same environment as the server's. */
  readonly config: () => Config;
}

/** An option of a command. */
export interface CommandOption extends ParseArgsOptionDescriptor {
  readonly help: string;
  /** Name of its value in the help. */
  readonly value?: string;
}

/** One command. */
export interface Command {
  /** Words that select it: `noun verb`. */
  readonly name: string;
  readonly parameters: readonly string[];
  readonly summary: string;
  readonly options?: Readonly<Record<string, CommandOption>>;
  /**
   * @throws UsageError, Refusal, ConfigError or DatabaseError, whose messages are fit to print
   */
  run(call: CommandCall): Promise<void>;
}
