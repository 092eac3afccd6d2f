// Times in log files: those without a zone are this host's local time.

const DAY_S = 86_400;
const LOCAL_HOUR = /^(\d{4})[/-](\d\d)[/-](\d\d)[ T](\d\d):/;
const ISO_STAMP = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(Z|[+-]\d\d:?\d\d)?/;

/** Seconds, unless that cannot be: before 1970, or more than a day ahead of now, which the server refuses. */
export const plausibleSeconds = (seconds: number, nowS: number): number | undefined =>
  Number.isFinite(seconds) && seconds >= 0 && seconds <= nowS + DAY_S ? Math.floor(seconds) : undefined;

/** The last hour that was asked for: most lines are of the same one. */
let lastHour = { text: '', offset: 0 };

/** Minutes by which this host's clock was ahead of UTC at the local time that the text begins with; undefined without. */
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

/** Unix seconds of the time the text begins with: `2026-11-21T22:30:00.5Z`, or `2026-11-21 22:30:00,123` in local time. */
export function leadingTime(text: string, nowS: number): number | undefined {
  const found = ISO_STAMP.exec(text);
  if (found === null) return undefined;
  // A `T` and no zone is local time to JavaScript, as it is here.
  const iso = found[0]
    .replace(' ', 'T')
    .replace(',', '.')
    .replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  return plausibleSeconds(Date.parse(iso) / 1000, nowS);
}
