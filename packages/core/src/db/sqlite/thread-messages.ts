// What the main thread and a thread that writes say to each other.
import { DatabaseError, type DatabaseErrorKind } from '../database-error.ts';

/** What a thread is started with. */
export interface ThreadStart {
  /** The database. */
  readonly file: string;
  /** What one write may take. */
  readonly turnMs: number;
  readonly settings: unknown;
}

/** What a thread is told: here is something, write (and wait so long for somebody else's lock), close. */
export type ThreadOrder =
  | { readonly kind: 'message'; readonly message: unknown }
  | { readonly kind: 'write'; readonly patienceMs: number }
  | { readonly kind: 'close' };

/** A failure as it travels: of a {@link DatabaseError} its kind would be lost. */
export interface Failure {
  readonly fault: DatabaseErrorKind | undefined;
  readonly error: unknown;
}

/** What a thread says of a write. `full`: there was no space for something, whatever became of the rest. */
export type ThreadReport = { readonly full: boolean } & (
  | { readonly kind: 'written'; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly failure: Failure }
);

/** Packs an error. */
export const toFailure = (error: unknown): Failure => ({
  fault: error instanceof DatabaseError ? error.kind : undefined,
  // What is not an error may be something that cannot travel.
  error: error instanceof Error ? error : new Error(String(error)),
});

/** Reverses {@link toFailure}. */
export const fromFailure = ({ fault, error }: Failure): unknown =>
  fault === undefined ? error : new DatabaseError(fault, (error as Error).message, { cause: error });
