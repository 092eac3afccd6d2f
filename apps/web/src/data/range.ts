// The time range in the address: `last=1h`, `last=all`, or the ends that requests take, `start_time` and `end_time`.
import { exactSpan } from '@quarterdeck/views/text';
import { type Parsed, parseRange, readAge } from '@quarterdeck/views/times';

/** The last seconds up to now, or a span; Unix seconds. */
export type Range =
  | { readonly kind: 'last'; readonly span: string; readonly seconds: number }
  | { readonly kind: 'span'; readonly startS: number; readonly endS: number | undefined }
  | { readonly kind: 'all' };

/** Ends of a range, as requests take them. */
export interface Bounds {
  readonly start_time?: number;
  readonly end_time?: number;
}

/** Spans to choose from, and their seconds. */
export const LAST: ReadonlyMap<string, number> = new Map([
  ['15m', 900],
  ['1h', 3_600],
  ['6h', 21_600],
  ['24h', 86_400],
  ['7d', 604_800],
  ['30d', 2_592_000],
]);
const DEFAULT = '24h';

const secondsOf = (text: string | null): number | undefined =>
  text !== null && /^\d{1,12}$/.test(text) ? Number(text) : undefined;

/** Reads the range of an address; the last day without one. */
export function rangeOf(params: URLSearchParams): Range {
  const startS = secondsOf(params.get('start_time'));
  const endS = secondsOf(params.get('end_time'));
  if (startS !== undefined || endS !== undefined) return { kind: 'span', startS: startS ?? 0, endS };
  const last = params.get('last') ?? DEFAULT;
  if (last === 'all') return { kind: 'all' };
  const seconds = LAST.get(last) ?? readAge(last);
  return seconds === undefined
    ? { kind: 'last', span: DEFAULT, seconds: LAST.get(DEFAULT) ?? 0 }
    : { kind: 'last', span: last, seconds };
}

/** Reads a typed range as the dashboard does: `2h`, `since 10:00`, `10:00 to 11:02`, `yesterday`, `all`. */
export function readRange(typed: string, nowMs: number): Parsed<Range> {
  const read = parseRange(typed, { nowMs, zone: 'local' });
  if ('problem' in read) return read;
  const { value } = read;
  if (value === null) return { value: { kind: 'all' } };
  if (value.kind === 'last') return { value: { ...value, span: exactSpan(value.seconds) } };
  return { value: { kind: 'span', startS: value.startS, endS: value.kind === 'span' ? value.endS : undefined } };
}

/** The parameters that stand for a range; undefined for those that it does not have. */
export const rangeParams = (range: Range): Readonly<Record<string, string | undefined>> => ({
  last: range.kind === 'all' ? 'all' : range.kind === 'last' ? range.span : undefined,
  start_time: range.kind === 'span' ? String(range.startS) : undefined,
  end_time: range.kind === 'span' && range.endS !== undefined ? String(range.endS) : undefined,
});

const MINUTE_S = 60;

/** The ends of a range. The last seconds begin at a whole minute, so that requests repeat. */
export function boundsOf(range: Range, nowS: number): Bounds {
  if (range.kind === 'all') return {};
  if (range.kind === 'last') return { start_time: Math.floor((nowS - range.seconds) / MINUTE_S) * MINUTE_S };
  return { start_time: range.startS, ...(range.endS === undefined ? {} : { end_time: range.endS }) };
}
