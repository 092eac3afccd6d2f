// What the main thread and a thread that writes say to each other.
import type { Failure } from '../failure.ts';

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

/** What a thread says of a write. `full`: there was no space for something, whatever became of the rest. */
export type ThreadReport = { readonly full: boolean } & (
  | { readonly kind: 'written'; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly failure: Failure }
);
