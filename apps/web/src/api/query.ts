// State of a read from the server. The last data is kept when a later read fails.

/** A failure as the page shows it. */
export interface Failure {
  readonly message: string;
  /** HTTP status; undefined without an answer. */
  readonly status?: number | undefined;
  /** Code of the server's refusal. */
  readonly code?: string | undefined;
  /** True for a problem that may end without a change by the user. */
  readonly isTemporary: boolean;
}

/** State of a read. */
export interface Query<T> {
  readonly data: T | undefined;
  /** Time of the data, Unix milliseconds. */
  readonly atMs: number | undefined;
  /** Failure of the latest read; undefined if that succeeded, or is the first. */
  readonly failure: Failure | undefined;
}
