// The fields of a form that ask until when something is muted. Pure.

import { parseMute } from '@quarterdeck/core/plain';
import type { Field, Option, Problem, Values } from './question.ts';

/** Ends to choose from. */
export const UNTILS: readonly Option[] = [
  { value: '1h', label: '1 hour' },
  { value: '1d', label: '1 day' },
  { value: '7d', label: '7 days' },
  { value: '100x/1h', label: '100 an hour' },
  { value: 'forever', label: 'forever' },
  { value: 'own', label: 'other' },
];

/** The fields for the end of a mute. */
export const untilFields = (values: Values, options: readonly Option[] = UNTILS): Field[] => [
  { kind: 'choice', name: 'until', label: 'Until', options },
  ...(values['until'] === 'own'
    ? [{ kind: 'text' as const, name: 'own', label: 'Other', max: 20, hint: '30m, 2w, 500x, 100x/6h' }]
    : []),
];

/** The end of a mute that the values mean. */
export const untilOf = ({ until = '', own = '' }: Values): string => (until === 'own' ? own.trim() : until);

/** The problem of an end that is not readable; null for none. */
export const checkUntil = (values: Values): Problem | null =>
  parseMute(untilOf(values)) === undefined
    ? { field: 'own', text: 'Enter a time (30m, 1h, 7d), a number of times (100x), or a rate (100x/1h).' }
    : null;

/** The end of a mute in a sentence. */
export function untilWords(until: string): string {
  const mute = parseMute(until);
  switch (mute?.kind) {
    case 'forever':
      return 'It stays muted until somebody reopens it.';
    case 'time':
      return `It comes back after ${until}.`;
    case 'count':
      return `It comes back once it has happened ${mute.count} times more.`;
    case 'rate':
      return `It comes back once it happens ${mute.count} times within ${until.split('/')[1] ?? ''}.`;
    default:
      return '';
  }
}
