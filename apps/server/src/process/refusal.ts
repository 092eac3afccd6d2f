// Errors that end a command.
import { EXIT, type ExitCode } from './exit-codes.ts';

/** The command line is wrong. The message is one line and never repeats a value, which might be a secret. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command cannot be run. The message is one line, fit to print. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.refused) {
    super(message);
    this.exitCode = exitCode;
  }
}
