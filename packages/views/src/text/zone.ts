// The time zone of the times on the screen: that of the computer, or UTC.

/** The zones to choose from. */
export const ZONES = ['local', 'utc'] as const;

/** Name of a zone in the settings. */
export type Zone = (typeof ZONES)[number];

// One for the whole program: every formatted time follows it.
let shown: Zone = 'local';

/** Sets the zone of all formatted times. */
export function setZone(zone: Zone): void {
  shown = zone;
}

/** Parts of a date and a clock; the month counts from 1. */
export type WallTime = readonly [
  year: number,
  month: number,
  day: number,
  hours: number,
  minutes: number,
  seconds: number,
];

/** Returns the parts that calendar and clock of a zone show at a moment. */
export function wallTime(date: Date, zone = shown): WallTime {
  return zone === 'utc'
    ? [
        date.getUTCFullYear(),
        date.getUTCMonth() + 1,
        date.getUTCDate(),
        date.getUTCHours(),
        date.getUTCMinutes(),
        date.getUTCSeconds(),
      ]
    : [date.getFullYear(), date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes(), date.getSeconds()];
}

/** Returns the moment of a wall time in Unix milliseconds. Parts beyond their range carry over: day 0 is yesterday. */
export function momentOf([year, month, ...rest]: WallTime, zone = shown): number {
  return zone === 'utc' ? Date.UTC(year, month - 1, ...rest) : new Date(year, month - 1, ...rest).getTime();
}

/** Names by their distance from UTC, because formatting a name is slow. */
const names = new Map<number, string>();

/** Returns the short name of the zone at a moment: `UTC`, `CET`, `GMT+9`. */
export function zoneName(ms: number, zone = shown): string {
  const date = new Date(ms);
  const offset = date.getTimezoneOffset();
  if (zone === 'utc' || offset === 0) return 'UTC';
  let name = names.get(offset);
  if (name === undefined) {
    const nameIn = (locale: string): string =>
      new Intl.DateTimeFormat(locale, { timeZoneName: 'short' })
        .formatToParts(date)
        .find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const american = nameIn('en-US');
    // American English knows the names of America only, British English those of Europe.
    name = american.startsWith('GMT') ? nameIn('en-GB') : american;
    names.set(offset, name);
  }
  return name;
}
