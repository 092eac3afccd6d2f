// The time until a disk is full. Pure, and without schemas: every front end shows it.
import type { DiskUse } from './vitals-use.ts';

/** Span by which a disk is judged, and what it must have at least: samples, and minutes between the first and last. */
const TREND_S = 6 * 3600;
const TREND_SAMPLES = 10;
const TREND_MIN_S = 20 * 60;
/** Share of the variation that a straight line must explain. */
const TREND_FIT = 0.8;
/** A later time is no news. */
const FULL_WITHIN_S = 7 * 86_400;

/**
 * Seconds until a disk is full, by a straight line through the last hours; undefined where it does not fill steadily,
 * or not within a week.
 */
export function secondsUntilFull(
  samples: readonly { readonly time: number; readonly disk: DiskUse }[],
  path: string,
): number | undefined {
  const endS = samples.at(-1)?.time ?? 0;
  const points = samples.flatMap(({ time, disk }) => {
    const space = Object.hasOwn(disk, path) ? disk[path] : undefined;
    return space === undefined || time < endS - TREND_S ? [] : [{ x: time - endS, y: space.used, free: space.free }];
  });
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < TREND_SAMPLES) return undefined;
  if (last.x - first.x < TREND_MIN_S || last.free <= 0) return undefined;
  const mean = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [mx, my] = [mean(({ x }) => x), mean(({ y }) => y)];
  const xx = mean(({ x }) => (x - mx) ** 2);
  const xy = mean(({ x, y }) => (x - mx) * (y - my));
  const yy = mean(({ y }) => (y - my) ** 2);
  const slope = xy / xx;
  if (slope <= 0 || yy === 0 || xy ** 2 / (xx * yy) < TREND_FIT) return undefined;
  const seconds = last.free / slope;
  return seconds <= FULL_WITHIN_S ? seconds : undefined;
}
