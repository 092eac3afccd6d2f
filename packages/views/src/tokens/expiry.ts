// Expiry of tokens: presets, dates, and their texts. Pure.

import type { Field, Option, Problem, Values } from '../questions/question.ts';
import { distance, fullTime } from '../text/format.ts';
import type { Tone } from '../text/tone.ts';
import { momentOf, wallTime } from '../text/zone.ts';

const DAY_MS = 86_400_000;

/** A choice in the form. `keep`: unchanged; `date`: the day that is entered. */
export type ExpiryChoice = 'keep' | 'never' | '30' | '90' | '365' | 'date';

/** The choices of a new token. */
export const EXPIRY_CHOICES: readonly { readonly value: ExpiryChoice; readonly label: string }[] = [
  { value: 'never', label: 'never' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '365 days' },
  { value: 'date', label: 'date' },
];

/** Unix milliseconds (0 = never, undefined = unchanged), or the problem of the entry. */
export type Expiry = { readonly expire: number | undefined } | { readonly problem: string };

/** Reads the two fields. A date means the end of that day in the zone of the screen. */
export function readExpiry(choice: string, date: string, nowMs: number): Expiry {
  if (choice === 'keep') return { expire: undefined };
  if (choice === 'never') return { expire: 0 };
  if (choice !== 'date') return { expire: nowMs + Number(choice) * DAY_MS };
  const match = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(date.trim());
  if (match === null) return { problem: 'Enter a date such as 2027-01-31.' };
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const end = momentOf([year, month, day, 23, 59, 59]);
  // The 31st of February becomes a day of March.
  const [, endMonth, endDay] = wallTime(new Date(end));
  if (endMonth !== month || endDay !== day) return { problem: 'That day does not exist.' };
  if (end <= nowMs) return { problem: 'That day is in the past.' };
  return { expire: end };
}

/** The expiry entered in a form; undefined for an unchanged or an invalid one. */
export function expiryOf({ choice = '', date = '' }: Values, nowMs: number): number | undefined {
  const expiry = readExpiry(choice, date, nowMs);
  return 'problem' in expiry ? undefined : expiry.expire;
}

/** The problem of the expiry entered in a form. */
export function checkExpiry({ choice = '', date = '' }: Values, nowMs: number): Problem | null {
  const expiry = readExpiry(choice, date, nowMs);
  return 'problem' in expiry ? { field: 'date', text: expiry.problem } : null;
}

/** The fields for an expiry: the presets, and the day for the choice `date`. */
export const expiryFields = ({ choice }: Values, options: readonly Option[]): Field[] => [
  { kind: 'choice', name: 'choice', label: 'Expires', options },
  ...(choice === 'date'
    ? [{ kind: 'text' as const, name: 'date', label: 'On', max: 10, hint: 'YYYY-MM-DD, at the end of that day' }]
    : []),
];

/** An expiry in a sentence: `expires 2027-02-18 14:03:27, in 90 days`. */
export const endText = (expireMs: number, nowMs: number): string =>
  expireMs === 0 ? 'never expires' : `expires ${expiryText(expireMs, nowMs)}`;

/** A moment in full: `2027-02-18 14:03:27, in 90 days`. */
export function expiryText(expireMs: number, nowMs: number): string {
  return expireMs === 0 ? 'never' : `${fullTime(expireMs)}, ${distance(expireMs, nowMs)}`;
}

const SOON_MS = 14 * DAY_MS;

/** An expiry in the list: its distance, in a tone that warns when it is near or over. */
export function expiryCell(expireMs: number, nowMs: number): { text: string; tone: Tone } {
  if (expireMs === 0) return { text: 'never', tone: 'muted' };
  if (expireMs <= nowMs) return { text: `expired ${distance(expireMs, nowMs)}`, tone: 'bad' };
  return { text: distance(expireMs, nowMs), tone: expireMs - nowMs < SOON_MS ? 'warning' : 'plain' };
}
