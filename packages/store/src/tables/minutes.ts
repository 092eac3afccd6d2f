// Minutes, and numbers of occurrences by the minute of each source and level. Those of groups: `group-minutes.ts`.
import { tallyTable } from './tally.ts';

/** Minute of a time in Unix seconds. */
export const minuteOf = (time: number) => Math.floor(time / 60);

/** Seconds for which counts are kept by the minute. */
export const MINUTES_KEPT_S = 2 * 86_400;

/** Returns the first minute whose count is kept. Earlier ones are merged into hours. */
export const firstMinuteKept = (nowS: number) => (Math.floor((nowS - MINUTES_KEPT_S) / 3600) + 1) * 60;

/** Occurrences of each source and level by the minute. */
export const RATE = tallyTable('errlog_rate', { src: 'int', minute: 'int', level: 'int' });
