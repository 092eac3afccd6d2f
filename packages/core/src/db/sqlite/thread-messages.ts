// Messages between the main thread and a thread that writes.
import type { Failure } from '../failure.ts';
import type { DiskLimits } from './disk-limits.ts';

/** Data that a thread is started with. */
export interface ThreadStart {
  /** The database. */
  readonly file: string;
  readonly limits: DiskLimits;
  /** Time limit of one write. */
  readonly writeMs: number;
  readonly settings: unknown;
}

/** Request to a thread: take a message, write (and wait so long for another program's lock), or close. */
export type ThreadRequest =
  | { readonly kind: 'message'; readonly message: unknown }
  | { readonly kind: 'write'; readonly lockWaitMs: number }
  | { readonly kind: 'close' };

/** Outcome of a write. `full`: some transaction found no space, whether or not the write succeeded. */
export type ThreadReport = { readonly full: boolean } & (
  | { readonly kind: 'written'; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly failure: Failure }
);
