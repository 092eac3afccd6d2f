// Times in which a host is above a limit. Pure.
import { type Resource, usedPercent, type VitalsSample } from '@quarterdeck/core';

/** A resource that is above its limit counts as such until it falls this many percent below it. */
export const HYSTERESIS = 2;
/** Silence after which it is not known whether a resource stayed above its limit, seconds. */
const GAP_S = 300;
const MINUTE_S = 60;

/** Time in which a resource was above its limit. */
export interface TimeAbove {
  /** Unix seconds. */
  readonly sinceS: number;
  /** Time of the first minute at which it was not any more; null while it lasts. */
  readonly untilS: number | null;
  /** Highest percentage. */
  readonly highest: number;
}

/** Times in which a resource was above a limit, oldest first. */
export function timesAbove(samples: readonly VitalsSample[], resource: Resource, limit: number): TimeAbove[] {
  const times: TimeAbove[] = [];
  let open: { sinceS: number; highest: number; lastS: number } | undefined;
  const end = (untilS: number | null) => {
    if (open !== undefined) times.push({ sinceS: open.sinceS, untilS, highest: open.highest });
    open = undefined;
  };
  for (const sample of samples) {
    const percent = usedPercent(sample, resource);
    if (percent === null) continue;
    const { time } = sample;
    if (open !== undefined && time - open.lastS > GAP_S) end(open.lastS + MINUTE_S);
    const isAbove = percent > limit || (open !== undefined && percent > limit - HYSTERESIS);
    if (!isAbove) end(time);
    else if (open === undefined) open = { sinceS: time, highest: percent, lastS: time };
    else open = { sinceS: open.sinceS, highest: Math.max(open.highest, percent), lastS: time };
  }
  end(null);
  return times;
}
