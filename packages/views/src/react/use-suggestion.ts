import { useEffect, useMemo, useState } from 'react';
import type { Suggestion } from '../filters/completion.ts';
import { type ReadCompletions, withRead } from '../filters/read-completions.ts';
import { debounce } from '../reads/debounce.ts';

/** Returns the completions of a text; a later text aborts the read. */
export function useSuggestion(
  suggest: ((beforeCaret: string) => Suggestion | null) | undefined,
  beforeCaret: string,
): Suggestion | null {
  const suggestion = useMemo(() => suggest?.(beforeCaret) ?? null, [suggest, beforeCaret]);
  const [read, setRead] = useState<ReadCompletions | null>(null);
  useEffect(() => {
    if (suggestion?.read === undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    debounce(signal)
      .then(() => suggestion.read?.(signal) ?? [])
      .then((completions) => {
        if (!signal.aborted) setRead({ of: suggestion, before: beforeCaret.slice(0, suggestion.from), completions });
      })
      .catch(() => {
        // Completion is a help; without an answer the user types on.
      });
    return () => controller.abort();
  }, [suggestion, beforeCaret]);
  return suggestion === null || read === null ? suggestion : withRead(suggestion, read, beforeCaret);
}
