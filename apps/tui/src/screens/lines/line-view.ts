// Chips and the row under the lines. Pure.

import { isFollowing, type LinesState } from '@quarterdeck/views/lines';
import { completeText } from '@quarterdeck/views/reads';
import { clean, grouped, plural, shortTime } from '@quarterdeck/views/text';
import { filterChips } from '../../components/list/filter-chips.ts';
import { type Line, type Run, spread } from '../../theme/lines.ts';

/** Longest shown part of a filter. */
const FILTER_SHOWN = 40;

/** Everything else that the chips show. */
export interface LinesChips {
  readonly filter: string;
  /** A remark about the filter. */
  readonly note: string;
  readonly isLive: boolean;
  readonly index: number;
  readonly marked: number;
}

/** New lines, filter and position, the most important first. */
export function linesChips(state: LinesState, { filter, note, isLive, index, marked }: LinesChips): Run[] {
  const { waitingCount, paused, missed, rows, older, newer } = state;
  const isWhole = older === null && newer === 'live';
  return [
    ...(waitingCount > 0 ? [{ text: `${grouped(waitingCount)} new`, tone: 'badgeBlue' as const }] : []),
    ...(paused ? [{ text: 'paused', tone: 'warning' as const }] : []),
    ...(isLive && isFollowing(state) ? [{ text: 'following', tone: 'good' as const }] : []),
    ...(missed > 0 ? [{ text: `${grouped(missed)} missed`, tone: 'warning' as const }] : []),
    ...(marked > 0 ? [{ text: `${grouped(marked)} marked`, tone: 'accent' as const }] : []),
    ...(filter === '' ? [] : filterChips({ words: filter, note }, `/${clean(filter.slice(0, FILTER_SHOWN))}`)),
    ...(rows.length === 0 || index < 0
      ? []
      : [{ text: `${grouped(index + 1)} of ${grouped(rows.length)}${isWhole ? '' : '+'}`, tone: 'muted' as const }]),
  ];
}

/** The position among the lines around a line. */
export const aroundChips = (index: number, count: number, marked: number): Run[] => [
  ...(marked > 0 ? [{ text: `${grouped(marked)} marked`, tone: 'accent' as const }] : []),
  { text: `${grouped(index + 1)} of ${grouped(count)}`, tone: 'muted' },
];

/** Says what lies before the first row. */
function olderWords({ older, seekS, rows }: LinesState, nowMs: number): string {
  if (older === null) return 'oldest line reached ';
  const [first] = rows;
  if (seekS === null || first === undefined) return 'older lines above ';
  return `reading older lines, now at ${shortTime(first.line.time, nowMs)} `;
}

/** Says what is missing after the rows; undefined where nothing is. */
function newerWords({ newer, missed }: LinesState, followKey: string): string | undefined {
  if (newer === 'unknown') return `Newer lines are not loaded; ${followKey} goes to the newest.`;
  if (missed === 0) return undefined;
  return `${plural(missed, 'line')} came faster than the stream carries; move up to read them.`;
}

/** The row under the lines: whether they are complete, and what lies beyond them. */
export function linesStatus(
  state: LinesState,
  { followKey, nowMs, width }: { readonly followKey: string; readonly nowMs: number; readonly width: number },
): Line {
  const { meta, failure } = state;
  if (meta === null && failure !== null) return [];
  if (meta === null) return [{ text: '  Reading the lines…', tone: 'muted' }];
  const missing = newerWords(state, followKey);
  const words = missing === undefined || !meta.complete ? completeText(meta, nowMs) : missing;
  const tone = meta.complete && missing === undefined ? 'muted' : 'warning';
  return spread([{ text: `  ${words}`, tone }], [{ text: olderWords(state, nowMs), tone: 'muted' }], width);
}

/** The row under the lines around a line. */
export const aroundStatus = (count: number, source: string, closeKey: string): Line => [
  {
    text: `  ${plural(count, 'line')} of ${clean(source)} before and after the marked one; ${closeKey} goes back.`,
    tone: 'muted',
  },
];
