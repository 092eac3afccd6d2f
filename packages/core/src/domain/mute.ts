// How long an error stays muted, in the short form people type.
import { z } from 'zod';

/** Seconds of each unit of time. */
const UNITS = { m: 60, h: 3600, d: 86_400, w: 604_800 } as const;
/** The longest time, and the longest window of a rate: a year. */
const SECONDS_MAX = 366 * UNITS.d;
/** A rate is counted by the minute, over a week at most. */
const WINDOW_MAX = UNITS.w;
const COUNT_MAX = 1_000_000_000;

const SHORT_FORM = /^(?:(?<count>\d{1,10})x(?:\/(?<every>\d{1,5})?(?<per>[mhdw]))?|(?<time>\d{1,5})(?<unit>[mhdw]))$/;

/** What ends the mute of a group. */
export type Mute =
  | { readonly kind: 'forever' }
  /** After so many seconds. */
  | { readonly kind: 'time'; readonly seconds: number }
  /** Once it has happened so many times more. */
  | { readonly kind: 'count'; readonly count: number }
  /** Once it happens so many times within so many seconds. */
  | { readonly kind: 'rate'; readonly count: number; readonly seconds: number };

/** Reads `30m`, `1h`, `7d`, `2w`, `100x`, `100x/h`, `100x/6h` or `forever`; undefined where it is none of these. */
export function parseMute(text: string): Mute | undefined {
  if (text === 'forever') return { kind: 'forever' };
  const { count, every = '1', per, time, unit } = SHORT_FORM.exec(text)?.groups ?? {};
  if (time !== undefined) {
    const seconds = Number(time) * UNITS[unit as keyof typeof UNITS];
    return seconds > 0 && seconds <= SECONDS_MAX ? { kind: 'time', seconds } : undefined;
  }
  const times = Number(count);
  if (!(times > 0 && times <= COUNT_MAX)) return undefined;
  if (per === undefined) return { kind: 'count', count: times };
  const seconds = Number(every) * UNITS[per as keyof typeof UNITS];
  return seconds > 0 && seconds <= WINDOW_MAX ? { kind: 'rate', count: times, seconds } : undefined;
}

/** {@link Mute} as it travels. */
export const MuteUntil = z
  .string()
  .max(20)
  .refine((value) => parseMute(value) !== undefined, {
    message:
      'must be a time up to 366d (30m, 1h, 7d), a number of times (100x), a rate within up to 7d (100x/1h) or "forever"',
  })
  .meta({ description: 'What ends the mute: 1h, 7d, 100x, 100x/1h or forever', example: '100x/1h' });
