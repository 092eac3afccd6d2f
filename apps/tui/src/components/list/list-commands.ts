// Commands of lists. The focus decides on which part of the screen they act.

import { filterProblem, isFilter, readFilter } from '@quarterdeck/views/filters';
import { grouped } from '@quarterdeck/views/text';
import type { Handler } from '../../keys/keyboard.ts';
import { bookmarkCommands } from './bookmark-commands.ts';
import { columnCommands } from './column-commands.ts';
import { copyCommands } from './copy-commands.ts';
import { exportCommands } from './export-commands.ts';
import { facetRows } from './facet-lines.ts';
import { filterPrompt, hitTest } from './filter-prompt.ts';
import type { ListContext, ListExtras } from './list-context.ts';
import { detailRoom } from './list-layout.ts';
import { narrowCommands } from './narrow-commands.ts';
import { terminalCommands } from './pager-commands.ts';
import type { List, ListCommands } from './use-list.ts';

function moveCommands<T extends { readonly id: number }>(list: List<T>, extras: ListExtras): ListCommands {
  const { state, act, layout, ids, extent, mover, position } = list;
  const tableRows = Math.max(1, layout.table.height - 1);
  const inFacets = state.focus === 'facets';
  const inDetail = state.focus === 'detail' || state.detail === 'full';
  const id = list.selected?.id ?? 0;
  const facets = inFacets ? facetRows(list.groups) : [];
  // Skips headings.
  const facetBy = (delta: number): number => stepTo(facets, state.facetRow, delta, ({ kind }) => kind !== 'value');
  const from = state.scroll.id === id ? state.scroll.from : 0;
  const detailMost = Math.max(0, extras.detailRows - detailRoom(layout));
  const page = Math.max(1, (inDetail ? detailRoom(layout) : tableRows) - 1);
  // A range of marks ends with the loaded rows, because the ids of the others are not known.
  const stretch = (index: number): void => {
    const at = Math.max(0, Math.min(index - extent.start, ids.length - 1));
    const to = ids[at];
    mover.to(extent.start + at);
    if (to !== undefined) act({ type: 'stretch', to, ids });
  };
  const by = (delta: number): void => {
    if (inFacets) act({ type: 'facetRow', to: facetBy(delta) });
    else if (inDetail) act({ type: 'scroll', id, to: Math.min(from + delta, detailMost) });
    else if (state.range === null) mover.by(delta);
    else stretch(position.index + delta);
  };
  const to = (index: number): void => {
    if (inFacets) act({ type: 'facetRow', to: facetBy(index - state.facetRow) });
    else if (inDetail) act({ type: 'scroll', id, to: Math.min(index, detailMost) });
    else if (state.range === null) mover.to(index);
    else stretch(index);
  };
  return {
    down: (times) => by(times),
    up: (times) => by(-times),
    top: () => to(0),
    bottom: () => to(Number.MAX_SAFE_INTEGER),
    halfDown: (times) => by(Math.ceil(page / 2) * times),
    halfUp: (times) => by(-Math.ceil(page / 2) * times),
    pageDown: (times) => by(page * times),
    pageUp: (times) => by(-page * times),
  };
}

function markCommands<T extends { readonly id: number }>(
  list: List<T>,
  { say }: Pick<ListContext, 'say'>,
): ListCommands {
  const { state, act, ids, extent, selected, mover } = list;
  const markLoaded = (type: 'invert' | 'markAll'): void => {
    act({ type, ids });
    if (ids.length === extent.length) return;
    say({
      tone: 'notice',
      text: `Only the ${grouped(ids.length)} loaded rows of ${grouped(extent.length)} can be marked.`,
    });
  };
  return {
    ...(selected === undefined
      ? {}
      : {
          mark() {
            act({ type: 'toggleMark', id: selected.id });
            mover.by(1);
          },
          range: () => act({ type: 'range', id: selected.id }),
          invert: () => markLoaded('invert'),
          markAll: () => markLoaded('markAll'),
        }),
    ...(state.marks.size > 0 ? { unmark: () => act({ type: 'unmark' }) } : {}),
  };
}

/** Returns the index after `steps` steps (negative: back), skipping some rows; `from` if there is no such row. */
export function stepTo<T>(rows: readonly T[], from: number, steps: number, passesOver: (row: T) => boolean): number {
  const by = Math.sign(steps);
  let at = from;
  for (let left = Math.abs(steps); left > 0; left -= 1) {
    let next = at + by;
    for (let row = rows[next]; row !== undefined && passesOver(row); row = rows[next]) next += by;
    if (rows[next] === undefined) break;
    at = next;
  }
  return at;
}

/**
 * Selects the loaded row after `steps` matches. Returns a message where there is no further match, else null; the
 * message tells if only a part of the list was searched.
 */
export function selectMatch<T extends { readonly id: number }>(
  { rows, extent, position, mover }: List<T>,
  steps: number,
  { what, matches }: { readonly what: string; readonly matches: (row: T) => boolean },
): string | null {
  const from = position.index - extent.start;
  const at = stepTo(rows, from, steps, (row) => !matches(row));
  if (at !== from) {
    mover.to(extent.start + at);
    return null;
  }
  if (rows.length >= extent.length) return `No further ${what}.`;
  return `No further ${what} in the ${grouped(rows.length)} loaded rows of ${grouped(extent.length)}.`;
}

function filterCommands<T extends { readonly id: number }>(
  list: List<T>,
  { open, say, store, keyOf }: ListContext,
  extras: ListExtras,
): ListCommands {
  const { state, act, names } = list;
  const set = (text: string): void => {
    act({ type: 'filter', text });
    extras.onFilter?.(text);
  };
  const jump =
    (by: 1 | -1): Handler =>
    (times) => {
      const read = readFilter(state.searched, names);
      if (!isFilter(read)) {
        say({ tone: 'notice', text: `No filter yet: press ${keyOf('list.filter')} to type one.` });
        return;
      }
      const text = selectMatch(list, by * times, { what: 'match', matches: hitTest(list, read) });
      if (text !== null) say({ tone: 'notice', text });
    };
  return {
    filter: () =>
      open({
        kind: 'prompt',
        label: '/',
        initial: state.filter,
        selects: true,
        history: store.get().filters.filter((text) => text !== state.filter),
        ...filterPrompt(list, extras),
        // A server-side search starts on Enter, not with every letter.
        ...(extras.onFilter === undefined
          ? { onChange: (text: string) => filterProblem(text, names) === null && set(text) }
          : {}),
        onSubmit(text) {
          set(text);
          store.remember('filters', text);
        },
        onCancel: () => {
          if (extras.onFilter === undefined) set(state.filter);
        },
      }),
    nextHit: jump(1),
    previousHit: jump(-1),
  };
}

/** The commands that copy what an empty list shows. */
const wayCommands = ({ copy, say }: ListContext, { ways = [] }: ListExtras): ListCommands =>
  Object.fromEntries(
    ways.map((way, index) => [
      `copyWay${index + 1}`,
      () => {
        copy(way);
        say({ tone: 'good', text: `Copied the command ${index + 1}.` });
      },
    ]),
  );

/** Returns all commands of a list. */
export function listCommands<T extends { readonly id: number }>(
  list: List<T>,
  surroundings: ListContext,
  extras: ListExtras,
): ListCommands {
  const { state, act, selected, groups } = list;
  const inFacets = state.focus === 'facets';
  const detailed = state.detail !== 'closed';
  const facetRow = inFacets ? facetRows(groups)[state.facetRow] : undefined;
  const choose = (): void => {
    if (facetRow?.kind !== 'value') return;
    if (extras.onFacet === undefined) act({ type: 'facet', facet: facetRow.group, value: facetRow.value });
    else extras.onFacet(facetRow.group, facetRow.key ?? facetRow.value);
  };
  const hasDetail = selected !== undefined && extras.noDetail !== true;
  const { refresh } = extras;
  return {
    ...moveCommands(list, extras),
    ...columnCommands(list, surroundings, extras),
    ...markCommands(list, surroundings),
    ...copyCommands(list, surroundings, extras),
    ...exportCommands(list, surroundings, extras),
    ...wayCommands(surroundings, extras),
    ...bookmarkCommands(list, surroundings, extras),
    ...terminalCommands(list, surroundings, extras.detail),
    ...filterCommands(list, surroundings, extras),
    ...narrowCommands(list, surroundings, extras),
    ...(inFacets
      ? { choose, mark: choose }
      : extras.open !== undefined
        ? { open: extras.open }
        : hasDetail && extras.drills !== true && state.detail !== 'full'
          ? detailed
            ? { enlarge: () => act({ type: 'detail', detail: 'full' }) }
            : { open: () => act({ type: 'detail', detail: 'open' }) }
          : {}),
    ...(hasDetail
      ? {
          detail: () => act({ type: 'detail', detail: detailed ? 'closed' : 'open' }),
          full: () => act({ type: 'detail', detail: state.detail === 'full' ? 'open' : 'full' }),
        }
      : {}),
    ...(extras.onFacet !== undefined || list.groups.length > 0 || state.facetsOpen || !list.isServed
      ? { facets: () => act({ type: 'toggleFacets' }) }
      : {}),
    ...(detailed || state.facetsOpen
      ? {
          nextPane: () => act({ type: 'focus', by: 1 }),
          previousPane: () => act({ type: 'focus', by: -1 }),
        }
      : {}),
    ...(refresh === undefined ? {} : { refresh: () => refresh() }),
  };
}

/** Returns the action of Escape: closes or clears the nearest part. Undefined if there is none. */
export function closeCommand<T extends { readonly id: number }>(
  list: List<T>,
  extras: ListExtras,
): (() => void) | undefined {
  const { state, act } = list;
  if (state.range !== null || state.marks.size > 0) return () => act({ type: 'unmark' });
  if (state.detail === 'full') return () => act({ type: 'detail', detail: 'open' });
  if (state.facetsOpen && state.focus === 'facets') return () => act({ type: 'toggleFacets' });
  if (state.detail === 'open') return () => act({ type: 'detail', detail: 'closed' });
  const { homeFilter = '' } = extras;
  if (state.filter !== homeFilter) {
    return () => {
      act({ type: 'filter', text: homeFilter });
      extras.onFilter?.(homeFilter);
    };
  }
  if (Object.keys(state.facets).length > 0) return () => act({ type: 'clearFacets' });
  if (state.facetsOpen) return () => act({ type: 'toggleFacets' });
  return undefined;
}
