// Errors in messages between threads, which carry plain values only.
import { DatabaseError, type DatabaseErrorKind } from './database-error.ts';

/** The texts of an error. */
export interface Failure {
  /** Kind of a {@link DatabaseError}. */
  readonly fault: DatabaseErrorKind | undefined;
  readonly message: string;
  readonly stack: string | undefined;
  /** For the log. */
  readonly cause: string | undefined;
}

/** Converts an error to plain values. */
export function toFailure(error: unknown): Failure {
  const { message, stack, cause } = error instanceof Error ? error : new Error(String(error));
  return {
    fault: error instanceof DatabaseError ? error.kind : undefined,
    message,
    stack,
    cause: cause === undefined ? undefined : String(cause),
  };
}

/** Reverses {@link toFailure}: a {@link DatabaseError} where it was one, else an `Error`. */
export function fromFailure({ fault, message, stack, cause }: Failure): Error {
  const options = cause === undefined ? {} : { cause };
  const error = fault === undefined ? new Error(message, options) : new DatabaseError(fault, message, options);
  if (stack !== undefined) error.stack = stack;
  return error;
}
