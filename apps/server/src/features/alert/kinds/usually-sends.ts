// Decides whether a source or a service usually sends lines, and finds the times in which it did not.

/** Minutes that decide what is usual. */
export const HISTORY_MINUTES = 2 * 24 * 60;
/** Fewest minutes with lines of something that usually sends. */
const SENT_MIN = 10;
/** Least span of these minutes, and in multiples of the time of the rule; half of the history is always enough. */
const SPAN_MIN = 60;
const SPAN_TIMES = 4;
/** Most pauses longer than the time of the rule: a pause of each night is usual. */
const PAUSES_MAX = 1;

/** Span in minutes, the end excluded. */
export interface MinuteSpan {
  readonly from: number;
  readonly to: number;
}

/**
 * Tells whether something usually sends within a time, in minutes. `minutes` are those with lines, in order; the last
 * one is its latest. Pauses in which no server listened do not count.
 */
export function usuallySends(minutes: readonly number[], within: number, down: readonly MinuteSpan[]): boolean {
  const last = minutes.at(-1);
  if (last === undefined) return false;
  const known = minutes.filter((minute) => minute >= last - HISTORY_MINUTES);
  const [first = last] = known;
  const spanMin = Math.min(Math.max(SPAN_MIN, SPAN_TIMES * within), HISTORY_MINUTES / 2);
  if (known.length < SENT_MIN || last - first < spanMin) return false;
  const pauses = known.filter((minute, i) => {
    const before = known[i - 1];
    return before !== undefined && minute - before > within && !isDown(before, minute, down);
  });
  return pauses.length <= PAUSES_MAX;
}

const isDown = (from: number, to: number, down: readonly MinuteSpan[]) =>
  down.some((gap) => gap.from < to && gap.to > from);

/** Silences since a minute: from the end of the time of the rule until the next line, or null while they last. */
export function silencesOf(
  minutes: readonly number[],
  { from, to }: MinuteSpan,
  within: number,
  down: readonly MinuteSpan[],
): { readonly since: number; readonly until: number | null }[] {
  return minutes.flatMap((minute, i) => {
    const next = minutes[i + 1];
    const since = minute + within;
    const end = next ?? to;
    if (since >= end || since < from || isDown(minute, end, down)) return [];
    if (!usuallySends(minutes.slice(0, i + 1), within, down)) return [];
    return [{ since, until: next ?? null }];
  });
}
