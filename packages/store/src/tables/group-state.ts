// Changes of a group's state when it is seen again.
import type { ErrlogState } from '@quarterdeck/core';
import { parseMute } from '@quarterdeck/core/plain';

/** State of a group. Times are Unix seconds. */
export interface GroupStatus {
  readonly state: ErrlogState;
  readonly state_since: number;
  /** End of the mute as it was requested, such as `100x/1h`; empty without one. */
  readonly until: string;
  readonly until_time: number;
  readonly until_count: number;
}

/**
 * Returns the state of a group seen again, last at `logTime`, with `count` occurrences in all. A resolved group
 * regresses; a mute ends at its time or count. For mutes by rate see {@link rateOf}.
 */
export function stateAfter(status: GroupStatus, logTime: number, count: number): ErrlogState {
  const { state, state_since, until_time, until_count } = status;
  // Lines from before the resolution do not count. Lines of the same second do.
  if (state === 'resolved') return logTime >= state_since ? 'regressed' : 'resolved';
  if (state !== 'muted') return state;
  const over = (until_time > 0 && logTime >= until_time) || (until_count > 0 && count >= until_count);
  return over ? 'ongoing' : 'muted';
}

/** The rate that ends a mute: `count` occurrences within `seconds`. */
export function rateOf({ state, until }: GroupStatus): { count: number; seconds: number } | undefined {
  if (state !== 'muted') return undefined;
  const mute = parseMute(until);
  return mute?.kind === 'rate' ? mute : undefined;
}

/** Steps of {@link magnitudeOf} to a doubling. */
const STEPS = 8;

/**
 * A count on a scale of eight steps to a doubling, exact below 16. The order by count uses it because it changes
 * rarely. The migration that added the column computes the same in SQL.
 */
export const magnitudeOf = (count: number): number =>
  count < STEPS ? count : Math.floor(STEPS * (Math.log2(count) - 2));

/** Returns the status of a group that a person puts into a state; `until` goes with `muted`. */
export function statusFor(state: ErrlogState, until: string | undefined, count: number, nowS: number): GroupStatus {
  const status = { state, state_since: nowS, until: '', until_time: 0, until_count: 0 };
  if (state !== 'muted') return status;
  const mute = parseMute(until ?? 'forever');
  return {
    ...status,
    until: until ?? 'forever',
    until_time: mute?.kind === 'time' ? nowS + mute.seconds : 0,
    until_count: mute?.kind === 'count' ? count + mute.count : 0,
  };
}
