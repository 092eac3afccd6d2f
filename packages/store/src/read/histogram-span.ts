// Span and steps of a histogram.
const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;
/** Last second of a `Date`. */
const LAST_S = 8_640_000_000_000;
/** Seconds of a step: each divides a day, so that buckets begin at round times. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_S),
  ...[1, 2, 3, 6, 12, 24].map((hours) => hours * HOUR_S),
];

/**
 * Span of at most `buckets` buckets around some bounds in Unix seconds, both included. Without a beginning it is the
 * last 24 hours; without an end it ends at `nowS`. No step has fewer than `leastS` seconds.
 */
export function histogramSpan(
  bounds: { readonly from: number; readonly to: number },
  buckets: number,
  nowS: number,
  leastS = 1,
) {
  const last = bounds.to === Infinity ? Math.max(nowS, bounds.from) : bounds.to;
  const to = Math.floor(Math.min(last, LAST_S));
  const first = bounds.from > 0 ? bounds.from : Math.max(0, to - DAY_S + 1);
  const from = Math.ceil(Math.min(first, LAST_S));
  // No line is in an empty span: one bucket says so.
  const end = Math.max(from, to) + 1;
  const spanOf = (step: number) => ({
    start: Math.floor(from / step) * step,
    end: Math.ceil(end / step) * step,
    step,
  });
  const fits = (step: number) => Math.ceil(end / step) - Math.floor(from / step) <= buckets;
  const step = STEPS.find((candidate) => candidate >= leastS && fits(candidate));
  if (step !== undefined) return spanOf(step);
  let days = Math.max(1, Math.ceil((end - from) / DAY_S / buckets));
  while (!fits(days * DAY_S)) days += 1;
  return spanOf(days * DAY_S);
}
