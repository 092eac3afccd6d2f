// Completion and meaning of the typed times of `:since`, `:goto` and their like. Pure.

import { shortTime, ZONES } from '@quarterdeck/views/text';
import { type Present, parseMoment, parseRange, rangeText } from '@quarterdeck/views/times';

const AGES = ['15m', '1h', '3h', '12h', '1d', '7d', '30d'];
const DAYS = ['today', 'yesterday'];

/** Completions of the words of each command. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  since: [...AGES, ...DAYS],
  from: [...DAYS, 'to'],
  until: ['now', ...AGES, ...DAYS],
  range: [...AGES, ...DAYS, 'since', 'from', 'until', 'to', 'all'],
  goto: [...AGES, ...DAYS],
  zone: ZONES,
};

/** Returns the words that may follow a command; none for commands without times. */
export const timeOptions = (word: string): readonly string[] =>
  Object.hasOwn(OPTIONS, word) ? (OPTIONS[word] ?? []) : [];

/** Returns the meaning of a typed range in a few words; `word` is the command in front of it. */
export function rangeNote(word: string, text: string, present: Present): string {
  if (/^(since|from|until|last)?$/.test(text.trim()))
    return word === 'until' ? '11:02 · yesterday' : '2h · 10:00 to 11:02 · all';
  const parsed = parseRange(`${word === 'range' ? '' : word} ${text}`, present);
  return 'problem' in parsed ? 'not a time' : rangeText(parsed.value, present.nowMs);
}

/** Returns the meaning of a typed moment in a few words. */
export function momentNote(text: string, present: Present): string {
  if (text.trim() === '') return '10:35 · yesterday 10:35 · 2h';
  const parsed = parseMoment(text, present);
  return 'problem' in parsed ? 'not a past time' : shortTime(parsed.value, present.nowMs);
}

/** Returns the note beside a typed command; undefined for commands without times. */
export function timeNote(word: string, text: string, present: Present): string | undefined {
  if (word === 'goto') return momentNote(text, present);
  return timeOptions(word).length === 0 || word === 'zone' ? undefined : rangeNote(word, text, present);
}
