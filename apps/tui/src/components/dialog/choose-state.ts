// Search in choices. Pure.

import type { Choice } from '@quarterdeck/views/questions';
import fuzzysort from 'fuzzysort';

/** Places of a choice among the found ones: by the beginning of its name, of its text, or of a word in it. */
function rankOf({ word = '', text }: Choice, wanted: string): number {
  if (word.startsWith(wanted)) return word.length;
  const lower = text.toLowerCase();
  if (lower.startsWith(wanted)) return NAME_MAX;
  return lower.includes(` ${wanted}`) ? NAME_MAX + 1 : NAME_MAX + 2;
}

/** Longer than any name. */
const NAME_MAX = 1_000;

/** Returns the choices that match a text, the best first; without a text, all choices in order. */
export function matchChoices(choices: readonly Choice[], text: string): readonly Choice[] {
  const wanted = text.trim();
  if (wanted === '') return choices;
  const lower = wanted.toLowerCase();
  return (
    fuzzysort
      .go(wanted, choices as Choice[], {
        keys: ['text', ({ note = '' }) => note, ({ group = '' }) => group, ({ word = '' }) => word],
        threshold: 0.2,
      })
      .map(({ obj }) => obj)
      // The help has the usual commands twice.
      .filter(({ id }, at, all) => all.findIndex((other) => other.id === id) === at)
      .toSorted((a, b) => rankOf(a, lower) - rankOf(b, lower))
  );
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
