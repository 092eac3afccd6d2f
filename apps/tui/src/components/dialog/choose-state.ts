// Search in choices. Pure.

import type { Choice } from '@quarterdeck/views/questions';
import fuzzysort from 'fuzzysort';

/** Returns the choices that match a text, the best first; without a text, all choices in order. */
export function matchChoices(choices: readonly Choice[], text: string): readonly Choice[] {
  const wanted = text.trim();
  if (wanted === '') return choices;
  return fuzzysort
    .go(wanted, choices as Choice[], {
      keys: ['text', ({ note = '' }) => note, ({ group = '' }) => group],
      threshold: 0.2,
    })
    .map(({ obj }) => obj);
}

/** A row: a heading or a choice. */
export type ChooseRow = { readonly heading: string } | { readonly choice: Choice; readonly index: number };

/** Inserts headings in front of their choices. */
export function chooseRows(choices: readonly Choice[], isSearch: boolean): ChooseRow[] {
  let group: string | undefined;
  return choices.flatMap((choice, index): ChooseRow[] => {
    const isNew = !isSearch && choice.group !== undefined && choice.group !== group;
    group = choice.group;
    return [...(isNew ? [{ heading: choice.group ?? '' }] : []), { choice, index }];
  });
}
