// Completions of a prompt: those known at once, then those that are read while the user pauses.

import type { Completion, Suggestion } from '@quarterdeck/views/filters';
import { debounce } from '@quarterdeck/views/reads';
import { useEffect, useMemo, useState } from 'react';
import type { PromptDialog } from './dialog.ts';

interface Read {
  readonly of: Suggestion;
  /** Input before the completed part. */
  readonly before: string;
  readonly completions: readonly Completion[];
}

/** Returns the completions of a text; a later text aborts the read. */
export function useSuggestion(suggest: PromptDialog['suggest'], beforeCaret: string): Suggestion | null {
  const suggestion = useMemo(() => suggest?.(beforeCaret) ?? null, [suggest, beforeCaret]);
  const [read, setRead] = useState<Read | null>(null);
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

/** Adds what was read; while a longer text is read, what still fits. */
function withRead(suggestion: Suggestion, { of, before, completions }: Read, beforeCaret: string): Suggestion {
  if (of === suggestion) return { ...suggestion, completions };
  if (before !== beforeCaret.slice(0, suggestion.from)) return suggestion;
  const begun = beforeCaret.slice(suggestion.from).toLowerCase();
  const fitting = completions.filter(({ text }) => text.toLowerCase().startsWith(begun));
  return fitting.length === 0 ? suggestion : { ...suggestion, completions: fitting };
}
