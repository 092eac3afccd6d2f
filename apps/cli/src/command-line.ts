// Runs one command line.
import { CommanderError } from 'commander';
import { orderArguments } from './command/arguments.ts';
import { processConfig } from './command/config.ts';
import { parserOf } from './command/parser.ts';
import { createProgram, type Program } from './command/program.ts';
import { ENTRIES } from './commands/index.ts';
import { exitCode } from './process/exit-codes.ts';
import type { Io } from './terminal/io.ts';

/** Runs a command. Resolves with the exit code. Tests replace the program, which has the settings of this user. */
export async function runCommandLine(
  args: readonly string[],
  io: Io,
  programOf: (io: Io) => Program = (own) => createProgram(own, processConfig()),
): Promise<number> {
  if (args[0] === '__complete') {
    const { runComplete } = await import('./shell/complete.ts');
    return runComplete(ENTRIES, args.slice(1), io);
  }
  try {
    return await parserOf(ENTRIES, programOf(io))(orderArguments(args));
  } catch (error) {
    // Commander has printed its message, or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCode('usage');
    const { failureOf } = await import('./command/failure.ts');
    const { message, exit } = failureOf(error);
    io.stderr.write(`quarterdeck: ${message}\n`);
    return exitCode(exit);
  }
}
