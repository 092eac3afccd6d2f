// Moments of the past with their ages. Pure.
import { age, fullTime } from '@quarterdeck/views/text';

/** The age of a moment in Unix seconds: `5m ago`. */
export const ago = (unixS: number, nowMs: number): string => `${age(nowMs / 1000 - unixS)} ago`;

/** The age of the last time; null = never. */
export const lastText = (unixS: number | null | undefined, nowMs: number): string =>
  unixS === undefined ? '' : unixS === null ? 'never' : ago(unixS, nowMs);

/** The whole time with its age. */
export const timeAgo = (unixS: number, nowMs: number): string => `${fullTime(unixS * 1000)} (${ago(unixS, nowMs)})`;
