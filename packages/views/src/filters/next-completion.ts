// The completion of an input by Tab. Pure.
import type { Suggestion } from './completion.ts';

/** The completions that Tab goes through, and the one in the input. */
export interface Cycle {
  readonly suggestion: Suggestion;
  readonly index: number;
  /** Input with the completion; another input ends the cycle. */
  readonly text: string;
  /** Text behind the completion. */
  readonly after: string;
}

/** An input after a completion. */
export interface Completed {
  readonly text: string;
  readonly caret: number;
  readonly cycle: Cycle | null;
}

/** Returns the longest common beginning of some texts. */
function sharedStart(texts: readonly string[]): string {
  let [shared = ''] = texts;
  for (const text of texts) while (!text.startsWith(shared)) shared = shared.slice(0, -1);
  return shared;
}

/** Completes as far as all completions agree, or goes to the next one; null without completions. */
export function nextCompletion(
  input: { readonly text: string; readonly caret: number },
  suggestion: Suggestion | null,
  cycle: Cycle | null,
  by: 1 | -1,
): Completed | null {
  const { text, caret } = input;
  const present = cycle?.text === text ? cycle : null;
  const known = present?.suggestion ?? suggestion;
  if (known === null || known.completions.length === 0) return null;
  const { from, completions } = known;
  const after = present?.after ?? text.slice(caret);
  const put = (inserted: string): Omit<Completed, 'cycle'> => ({
    text: text.slice(0, from) + inserted + after,
    caret: from + inserted.length,
  });
  if (present === null) {
    const shared = sharedStart(completions.map((completion) => completion.text));
    if (shared.length > caret - from) return { ...put(shared), cycle: null };
  }
  const before = by === 1 ? -1 : 0;
  const index = ((present?.index ?? before) + by + completions.length) % completions.length;
  const completed = put(completions[index]?.text ?? '');
  return { ...completed, cycle: { suggestion: known, index, text: completed.text, after } };
}
