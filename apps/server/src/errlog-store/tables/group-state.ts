// When a group changes its state by itself, because it happened again.
import type { ErrlogState } from '@quarterdeck/core';
import { parseMute } from '@quarterdeck/core/plain';

/** What a group's state depends on. Times are Unix seconds. */
export interface GroupStatus {
  readonly state: ErrlogState;
  readonly state_since: number;
  /** As it was asked for, such as `100x/1h`; empty where nothing ends it. */
  readonly until: string;
  readonly until_time: number;
  readonly until_count: number;
}

/**
 * The state after the group happened again, last at `logTime`, and now counts `count` in all. What is resolved
 * regresses; a mute ends at its time or its count. (A mute by rate is for {@link rateOf} to look at.)
 */
export function stateAfter(standing: GroupStatus, logTime: number, count: number): ErrlogState {
  const { state, state_since, until_time, until_count } = standing;
  // Late news of what happened before it was resolved is no news. Within the same second, rather show it.
  if (state === 'resolved') return logTime >= state_since ? 'regressed' : 'resolved';
  if (state !== 'muted') return state;
  const over = (until_time > 0 && logTime >= until_time) || (until_count > 0 && count >= until_count);
  return over ? 'ongoing' : 'muted';
}

/** The rate that ends a mute: so many times within so many seconds. */
export function rateOf({ state, until }: GroupStatus): { count: number; seconds: number } | undefined {
  if (state !== 'muted') return undefined;
  const mute = parseMute(until);
  return mute?.kind === 'rate' ? mute : undefined;
}

/** Steps of {@link magnitudeOf} to a doubling. */
const STEPS = 8;

/**
 * A count on a scale of eight steps to a doubling, exact below 16. The order by count is found by it, because it
 * changes rarely. The migration that made the column computes the same in SQL.
 */
export const magnitudeOf = (count: number): number =>
  count < STEPS ? count : Math.floor(STEPS * (Math.log2(count) - 2));

/** The standing of a group that a person puts into a state; `until` goes with `muted`. */
export function statusFor(state: ErrlogState, until: string | undefined, count: number, nowS: number): GroupStatus {
  const standing = { state, state_since: nowS, until: '', until_time: 0, until_count: 0 };
  if (state !== 'muted') return standing;
  const mute = parseMute(until ?? 'forever');
  return {
    ...standing,
    until: until ?? 'forever',
    until_time: mute?.kind === 'time' ? nowS + mute.seconds : 0,
    until_count: mute?.kind === 'count' ? count + mute.count : 0,
  };
}
