// Chips of the error log. Pure.

import { describeFilter, type ErrlogState, hostName, isFollowing, unnamedSource } from '@quarterdeck/views/errlog';
import type { ListFilter } from '@quarterdeck/views/filters';
import { grouped } from '@quarterdeck/views/text';
import type { Chip } from '../../components/frame/crumbs.tsx';
import { filterChips } from '../../components/list/filter-chips.ts';

/** The host of a source, from the loaded rows. */
export function hostOf(rows: ErrlogState['rows'], src: number): string {
  for (const row of rows.values()) if (row.src === src) return hostName(row);
  return unnamedSource(src);
}

/** Chips of the parts of the screen around the list. */
export interface OtherChips {
  /** True where lines are missing. */
  readonly incomplete: boolean;
  /** The time of a chart that was moved. */
  readonly chart: string;
  /** Values that all loaded rows share. */
  readonly folded: readonly Chip[];
}

/**
 * Completeness, new groups, filters and position, the most important first. `filter` is the text, and what is
 * said of it.
 */
export function errlogChips(
  state: ErrlogState,
  filter: Pick<ListFilter, 'words' | 'note'> | null,
  index: number,
  marked: number,
  { incomplete, chart, folded }: OtherChips = { incomplete: false, chart: '', folded: [] },
): Chip[] {
  const chips: Chip[] = incomplete ? [{ text: 'incomplete', tone: 'warning' }] : [];
  // More new groups can be counted than are waiting.
  const fresh = Math.max(state.waiting.size, state.fresh);
  if (fresh > 0) chips.push({ text: `${grouped(fresh)}${state.missed ? '+' : ''} new`, tone: 'badgeBlue' });
  if (state.paused) chips.push({ text: 'paused', tone: 'warning' });
  // Nothing new happens in a span that is over.
  else if (isFollowing(state) && state.range?.kind !== 'span') chips.push({ text: 'following', tone: 'good' });
  if (marked > 0) chips.push({ text: `${grouped(marked)} marked`, tone: 'accent' });
  if (filter !== null) chips.push(...filterChips(filter));
  // The server orders by the counts of all times, and the column shows those in the range.
  const isOther = (words: string): boolean => state.range !== null && words === 'by count';
  for (const words of describeFilter(state.filter, (src) => hostOf(state.rows, src)))
    chips.push({ text: `[${words}${isOther(words) ? ' of all times' : ''}]`, tone: 'notice' });
  if (chart !== '') chips.push({ text: chart, tone: 'accent' });
  chips.push(...folded);
  if (state.total !== null && state.order.length > 0) {
    const total = Math.max(state.total, state.order.length);
    chips.push({ text: `${grouped(index + 1)} of ${grouped(total)}${state.capped ? '+' : ''}`, tone: 'muted' });
  }
  return chips;
}
