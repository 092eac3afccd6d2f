// Words of an alert.
import type { Alert, AlertInstance } from '@quarterdeck/sdk';
import { fullTime, numberText, shortTime } from './format.ts';

/** Tone of a state, for its badge. */
export type Tone = 'bad' | 'warning' | 'good' | 'calm';

/** The state of an alert in a word. */
export function alertState({ state, acknowledged, muted_until: muted }: Alert): {
  readonly text: string;
  readonly tone: Tone;
} {
  if (state === 'resolved') return { text: 'ended', tone: 'good' };
  if (muted !== null) return { text: 'muted', tone: 'calm' };
  if (state === 'pending') return { text: 'pending', tone: 'warning' };
  return acknowledged === null ? { text: 'firing', tone: 'bad' } : { text: 'acknowledged', tone: 'warning' };
}

/** A mute that lasts longer has no end. */
const ENDLESS_S = 20 * 366 * 86_400;

/** The end of a mute. */
export const mutedText = (until: number): string =>
  until - Date.now() / 1000 > ENDLESS_S ? 'until somebody ends it' : `until ${fullTime(until * 1000)}`;

/** `0.3`, `16`: a rate with as many digits as people read. */
const rate = (perMinute: number): string =>
  perMinute >= 10 ? numberText(Math.round(perMinute)) : String(Number(perMinute.toFixed(perMinute < 1 ? 2 : 1)));

/** Frequency of the error of an alert. */
export const countText = ({ count, per_minute: now, usual, from }: NonNullable<AlertInstance['counts']>): string =>
  `${numberText(count)} since ${shortTime(from * 1000)}, ${rate(now)} a minute, usually ${usual === 0 ? 'none' : rate(usual)}`;
