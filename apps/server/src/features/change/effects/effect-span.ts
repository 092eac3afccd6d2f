// Minutes before and after a change that are compared.
import { type CountSpan, firstMinuteKept, minuteOf } from '@quarterdeck/store';

/** Minutes that are compared, and how many of them have passed. */
export interface EffectSpan extends CountSpan {
  /** Minutes of one unit: 60 where no minutes are kept. */
  readonly stepMinutes: number;
  /** Minutes after the change that have passed; the last one of `afterStart` to `to` may be a part. */
  readonly passed: number;
  /** End of the minutes that have passed as a whole. */
  readonly wholeTo: number;
}

/**
 * Minutes that are compared. The minute of the change counts as after it: without an effect both have the same rate.
 * So does the present minute, so that a rise is seen before it is over.
 * Whole hours are compared if no minutes are kept; the hour of the change is then left out.
 */
export function effectSpan(timeS: number, withinS: number, nowS: number): EffectSpan {
  const [time, within, now] = [minuteOf(timeS), Math.floor(withinS / 60), minuteOf(nowS)];
  const stepMinutes = time - within >= firstMinuteKept(nowS) ? 1 : 60;
  const down = (minute: number) => Math.floor(minute / stepMinutes) * stepMinutes;
  const beforeEnd = down(time);
  const afterStart = stepMinutes === 1 ? time : beforeEnd + stepMinutes;
  const length = Math.max(stepMinutes, down(within));
  const end = afterStart + length;
  const wholeTo = Math.max(afterStart, Math.min(end, down(now)));
  const to = stepMinutes === 1 && now >= afterStart ? Math.min(end, now + 1) : wholeTo;
  const passed = Math.max(0, Math.min(to, stepMinutes === 1 ? nowS / 60 : to) - afterStart);
  return { from: beforeEnd - length, beforeEnd, afterStart, to, stepMinutes, passed, wholeTo };
}

/** End of the comparison in Unix seconds: not before the change. */
export const spanEnd = ({ afterStart, passed }: EffectSpan, changeS: number): number =>
  Math.max(Math.floor(changeS), Math.round((afterStart + passed) * 60));

/** Minutes before a change that are compared. */
export const minutesBefore = ({ beforeEnd, from }: EffectSpan): number => beforeEnd - from;
