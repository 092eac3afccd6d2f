// State of a read from the server. The last data is kept when a later read fails.
import type { Failure } from '@quarterdeck/views/failures';

/** State of a read. */
export interface Query<T> {
  readonly data: T | undefined;
  /** Time of the data, Unix milliseconds. */
  readonly atMs: number | undefined;
  /** Failure of the latest read; undefined if that succeeded, or is the first. */
  readonly failure: Failure | undefined;
}
