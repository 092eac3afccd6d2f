// The chips of a filter: its text, and that it is read as a text where it looks like more. Pure.
import { type ListFilter, shownFilter } from '@quarterdeck/views/filters';
import type { Chip } from '../frame/crumbs.tsx';

/** The chips of a filter; `text` is shown in the place of its canonical form. */
export const filterChips = ({ words, note }: Pick<ListFilter, 'words' | 'note'>, text = shownFilter(words)): Chip[] => [
  { text, tone: 'notice', shrinks: true },
  ...(note === '' ? [] : [{ text: note, tone: 'muted' as const }]),
];
