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

/** What a thread says of a write. */
export type ThreadReport =
  | { readonly kind: 'written'; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly fault: DatabaseErrorKind | undefined; readonly error: unknown };

/** A failure as it travels: of a {@link DatabaseError} its kind would be lost. */
export const toReport = (error: unknown): ThreadReport => ({
  kind: 'failed',
  fault: error instanceof DatabaseError ? error.kind : undefined,
  // What is not an error may be something that cannot travel.
  error: error instanceof Error ? error : new Error(String(error)),
});

/** The reverse of {@link toReport}. */
export const fromReport = ({ fault, error }: Extract<ThreadReport, { kind: 'failed' }>): unknown =>
  fault === undefined ? error : new DatabaseError(fault, (error as Error).message, { cause: error });
