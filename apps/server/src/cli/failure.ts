// Describes an error that ends the program: its text for standard error, and the exit code.
import type { DatabaseErrorKind } from '@quarterdeck/core/db';
import { escapeUnseen } from '@quarterdeck/core/small-file';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { Refusal, UsageError } from '../process/refusal.ts';

/** The end of a run that failed. */
export interface Failure {
  /** One line where the user can correct the error, the stack where it is a bug. */
  readonly text: string;
  readonly exitCode: ExitCode;
}

const DATABASE_EXITS: Partial<Record<DatabaseErrorKind, ExitCode>> = {
  unavailable: EXIT.unreachable,
  busy: EXIT.tryAgain,
  timeout: EXIT.tryAgain,
  locked: EXIT.tryAgain,
  // The server stopped while it ran a command.
  closed: EXIT.tryAgain,
};

/** Describes an error. */
export async function explain(error: unknown): Promise<Failure> {
  const { text, exitCode } = await describe(error);
  return { text: text.split('\n').map(escapeUnseen).join('\n'), exitCode };
}

async function describe(error: unknown): Promise<Failure> {
  if (error instanceof UsageError) return { text: error.message, exitCode: EXIT.badUsage };
  if (error instanceof Refusal) return { text: error.message, exitCode: error.exitCode };
  // A thrown error's module is loaded already, so these imports cost nothing.
  const { ConfigError } = await import('@quarterdeck/core/environment');
  if (error instanceof ConfigError) return { text: error.message, exitCode: EXIT.badUsage };
  const { AppError, ERRORS } = await import('@quarterdeck/core');
  if (error instanceof AppError) {
    return { text: error.message, exitCode: ERRORS[error.code].retryable ? EXIT.tryAgain : EXIT.refused };
  }
  const { DatabaseError } = await import('@quarterdeck/core/db');
  if (error instanceof DatabaseError) {
    return { text: error.message, exitCode: DATABASE_EXITS[error.kind] ?? EXIT.refused };
  }
  // The system refused a file that a person named; its message has the path.
  if (error instanceof Error && 'syscall' in error) return { text: error.message, exitCode: EXIT.output };
  return { text: error instanceof Error ? (error.stack ?? error.message) : String(error), exitCode: EXIT.refused };
}
