// Duration of a mute, in the short form people type.

/** Seconds of each unit of time. */
const UNITS = { m: 60, h: 3600, d: 86_400, w: 604_800 } as const;
/** Maximum time, and maximum window of a rate: a year. */
const SECONDS_MAX = 366 * UNITS.d;
/** A rate is counted by the minute, over a week at most. */
const WINDOW_MAX = UNITS.w;
const COUNT_MAX = 1_000_000_000;

const SHORT_FORM = /^(?:(?<count>\d{1,10})x(?:\/(?<every>\d{1,5})?(?<per>[mhdw]))?|(?<time>\d{1,5})(?<unit>[mhdw]))$/;

/** Condition that ends the mute of a group. */
export type Mute =
  | { readonly kind: 'forever' }
  /** Ends after this many seconds. */
  | { readonly kind: 'time'; readonly seconds: number }
  /** Ends after this many further occurrences. */
  | { readonly kind: 'count'; readonly count: number }
  /** Ends at this many occurrences within this many seconds. */
  | { readonly kind: 'rate'; readonly count: number; readonly seconds: number };

/** Parses `30m`, `1h`, `7d`, `2w`, `100x`, `100x/h`, `100x/6h` or `forever`; undefined for anything else. */
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
