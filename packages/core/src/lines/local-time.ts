// Parses times in log files; a time without a zone is in this host's local time.

const DAY_S = 86_400;
const LOCAL_HOUR = /^(\d{4})[/-](\d\d)[/-](\d\d)[ T](\d\d):/;
const ISO_STAMP = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(Z|[+-]\d\d:?\d\d)?/;

/** Seconds, or undefined when implausible: before 1970, or more than a day ahead, which the server refuses. */
export const plausibleSeconds = (seconds: number, nowS: number): number | undefined =>
  Number.isFinite(seconds) && seconds >= 0 && seconds <= nowS + DAY_S ? Math.floor(seconds) : undefined;

/** Cache of the last hour: most lines share it. */
let lastHour = { text: '', offset: 0 };

/**
 * Minutes by which local time was ahead of UTC at the time the text begins with; undefined when it begins with none.
 */
export function localOffsetMinutes(text: string): number | undefined {
  const [hourText, ...parts] = LOCAL_HOUR.exec(text) ?? [];
  if (hourText === undefined) return undefined;
  if (hourText !== lastHour.text) {
    const [year = 0, month = 0, day = 0, hour = 0] = parts.map(Number);
    const offset = -new Date(year, month - 1, day, hour).getTimezoneOffset();
    lastHour = { text: hourText, offset };
  }
  return Number.isNaN(lastHour.offset) ? undefined : lastHour.offset;
}

/**
 * Parses the time the text begins with, e.g. `2026-11-21T22:30:00.5Z` or `2026-11-21 22:30:00,123` (local time), in
 * Unix seconds.
 */
export function leadingTime(text: string, nowS: number): number | undefined {
  const found = ISO_STAMP.exec(text);
  if (found === null) return undefined;
  // JavaScript reads a `T` without a zone as local time, too.
  const iso = found[0]
    .replace(' ', 'T')
    .replace(',', '.')
    .replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  return plausibleSeconds(Date.parse(iso) / 1000, nowS);
}
