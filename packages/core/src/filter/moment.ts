// Times in filters: an age (`2h`, `1d12h`), an ISO time, or Unix seconds.
import type { Moment } from './filter.ts';

const UNITS = { w: 604_800, d: 86_400, h: 3600, m: 60, s: 1 } as const;
type Unit = keyof typeof UNITS;

/** Maximum age: a hundred years. */
const AGE_MAX = 36_525 * UNITS.d;
/** Years from here on have more than four digits in ISO times. */
const YEAR_10000 = 253_402_300_800;
const AGE = /^(?:\d{1,10}[wdhms])+$/i;
const UNIX = /^\d{9,12}$/;
const ISO = /^(?<date>\d{4}-\d\d-\d\d)(?:T(?<time>\d\d:\d\d(?::\d\d)?)(?:\.\d{1,9})?(?<zone>Z|[+-]\d\d:\d\d)?)?$/i;

/** Parses a moment; undefined for anything else. A date alone means its last second where `isEnd` is set. */
export function parseMoment(text: string, isEnd: boolean): Moment | undefined {
  if (AGE.test(text)) return parseAge(text.toLowerCase());
  if (UNIX.test(text)) return { unix: Number(text) };
  const { date, time, zone = 'Z' } = ISO.exec(text)?.groups ?? {};
  if (date === undefined) return undefined;
  const unix = Date.parse(`${date}T${time ?? (isEnd ? '23:59:59' : '00:00')}${zone}`.toUpperCase()) / 1000;
  return unix >= 0 && isRealDate(date) ? { unix } : undefined;
}

function parseAge(text: string): Moment | undefined {
  let ago = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)([wdhms])/g)) ago += Number(count) * UNITS[unit as Unit];
  return ago <= AGE_MAX ? { ago } : undefined;
}

/** JavaScript reads the 31st of a shorter month as a day of the next one. */
function isRealDate(date: string): boolean {
  const at = Date.parse(`${date}T00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date);
}

/** Formats a moment so that {@link parseMoment} reads the same one. */
export function formatMoment(moment: Moment): string {
  if ('unix' in moment) {
    const { unix } = moment;
    return unix < YEAR_10000 ? new Date(unix * 1000).toISOString().replace('.000Z', 'Z') : String(unix);
  }
  const { ago } = moment;
  const unit = (Object.keys(UNITS) as Unit[]).find((each) => ago % UNITS[each] === 0) ?? 's';
  return `${ago / UNITS[unit]}${ago === 0 ? 's' : unit}`;
}

/** Unix seconds of a moment. */
export const unixOf = (moment: Moment, nowS: number): number => ('unix' in moment ? moment.unix : nowS - moment.ago);
