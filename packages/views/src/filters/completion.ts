// Completion of typed text, for any input.

/** A reason why an input cannot be submitted. */
export interface InputProblem {
  readonly text: string;
  /** True if more characters can solve it. */
  readonly isIncomplete: boolean;
}

/** One way to complete an input. */
export interface Completion {
  readonly text: string;
  /** Text at the right, such as a count. */
  readonly note: string;
}

/** Completions of the part of an input before the caret. */
export interface Suggestion {
  /** Index at which the part begins. */
  readonly from: number;
  readonly completions: readonly Completion[];
  /** Set if the completions are shown only on demand. */
  readonly isQuiet?: boolean;
  /** Reads the completions that are not known at once. */
  readonly read?: (signal: AbortSignal) => Promise<readonly Completion[]>;
}

/** Values with their counts, the most frequent first. */
export type Counted = readonly { readonly value: string; readonly count: number }[];

/** Counted values; `of` names the counted rows. */
export interface ValueCounts {
  readonly counted: Counted;
  readonly of: string;
}
