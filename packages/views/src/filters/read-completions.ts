// Completions that are read while somebody types. Pure.
import type { Completion, Suggestion } from './completion.ts';

/** Completions that were read for an input. */
export interface ReadCompletions {
  readonly of: Suggestion;
  /** Input before the completed part. */
  readonly before: string;
  readonly completions: readonly Completion[];
}

/** Adds what was read; while a longer text is read, what still fits. */
export function withRead(
  suggestion: Suggestion,
  { of, before, completions }: ReadCompletions,
  beforeCaret: string,
): Suggestion {
  if (of === suggestion) return { ...suggestion, completions };
  if (before !== beforeCaret.slice(0, suggestion.from)) return suggestion;
  const begun = beforeCaret.slice(suggestion.from).toLowerCase();
  const fitting = completions.filter(({ text }) => text.toLowerCase().startsWith(begun));
  return fitting.length === 0 ? suggestion : { ...suggestion, completions: fitting };
}
