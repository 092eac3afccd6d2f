// Turns the description of a list into a screen.

import { anyValue, argumentsProblem, filterProblem, isId, shownFilter } from '@quarterdeck/views/filters';
import { useAction, useNow } from '@quarterdeck/views/react';
import { staleMessage } from '@quarterdeck/views/reads';
import { clean, grouped } from '@quarterdeck/views/text';
import { type ReactElement, useMemo } from 'react';
import type { Chip } from '../../components/frame/crumbs.tsx';
import { ScreenFrame, useFrame } from '../../components/frame/screen-frame.tsx';
import { type Detail, innerWidth } from '../../components/list/detail-lines.ts';
import { hiddenText } from '../../components/list/hidden-notice.ts';
import { ListBody } from '../../components/list/list-body.tsx';
import type { ListExtras } from '../../components/list/list-context.ts';
import { type List, useList } from '../../components/list/use-list.ts';
import { Notice, QueryNotice } from '../../components/notice.tsx';
import { useDashboard } from '../../context/dashboard.ts';
import type { ListDescription, ListScreenContext, ListSource } from './list-description.ts';
import { useArrival, useSelectById } from './use-arrival.ts';
import { type ListPlace, useListCommands } from './use-list-commands.ts';

/** A component that draws nothing while it is not visible, and keeps its state. */
export type ScreenView = (props: { readonly visible: boolean }) => ReactElement | null;

const SHOWN_MAX = 24;

/** The filter and the chosen facets. */
const narrowedBy = <T extends { readonly id: number }>({ filter, state }: List<T>): string[] => [
  ...(filter === null ? [] : [shownFilter(filter.words)]),
  ...Object.values(state.facets).map((values) => `[${clean(values.join(', ')).slice(0, SHOWN_MAX)}]`),
];

/** A chip for each value that all loaded rows share. */
export const foldedChips = <T extends { readonly id: number }>({ folded }: List<T>): Chip[] =>
  folded.map((value) => ({ text: `all ${clean(value)}`, tone: 'muted' }));

/** The filter, the marks and the position of the selection. */
function listChips<T extends { readonly id: number }>(list: List<T>): Chip[] {
  const { state, extent, position, total, unsearched } = list;
  const { length } = extent;
  const of = length < total ? `${grouped(length)} (of ${grouped(total)})` : grouped(total);
  return [
    ...(state.range === null ? [] : [{ text: 'range', tone: 'accent' as const }]),
    ...(state.marks.size === 0 ? [] : [{ text: `${grouped(state.marks.size)} marked`, tone: 'accent' as const }]),
    ...narrowedBy(list).map((text): Chip => ({ text, tone: 'notice', shrinks: true })),
    ...(list.filter === null || list.filter.note === '' ? [] : [{ text: list.filter.note, tone: 'muted' as const }]),
    ...foldedChips(list),
    ...(unsearched > 0 ? [{ text: `${grouped(unsearched)} not searched`, tone: 'warning' as const }] : []),
    ...(length === 0 ? [] : [{ text: `${grouped(position.index + 1)} of ${of}`, tone: 'muted' as const }]),
  ];
}

/** Number of lines of the details in their pane. */
export const detailRows = <T extends { readonly id: number }>(list: List<T>, detail: Detail | undefined): number =>
  detail === undefined || list.layout.detail.width === 0
    ? 0
    : detail.lines(innerWidth(list.layout.detail.width, list.layout.side)).length;

/** The crumbs of a list: the title of the open details. */
export const detailCrumbs = <T extends { readonly id: number }>(list: List<T>, detail: Detail | undefined): string[] =>
  list.state.detail !== 'closed' && detail !== undefined ? [detail.title] : [];

const ignore = (): void => undefined;
const nothingRead = (): undefined => undefined;

/** Makes the screen of a description. */
export function listScreen<T extends { readonly id: number }, S, P extends ListPlace, R = undefined>(
  description: ListDescription<T, S, P, R>,
): ScreenView {
  const { place, useSource, clockMs, columns: columnsOf, facets: facetsOf, empty, sourceArguments = [] } = description;
  const { useRow = nothingRead as () => R } = description;
  type Context = ListScreenContext<S & ListSource<T>>;

  function useScreenContext(visible: boolean): Omit<Context, 'select'> {
    const dashboard = useDashboard();
    const source = useSource(visible);
    const { refresh = ignore } = source;
    const run = useAction(refresh);
    const nowMs = useNow(dashboard.now, clockMs ?? 60_000, visible && clockMs !== undefined);
    return { ...dashboard, source, nowMs, refresh, run };
  }

  function useRowList({ source: { rows, partial }, nowMs, me, glyphs, say }: Omit<Context, 'select'>): List<T> {
    const { width, height } = useFrame();
    const columns = useMemo(() => columnsOf(rows, nowMs, me, glyphs), [rows, nowMs, me, glyphs]);
    const facets = useMemo(() => facetsOf?.(nowMs) ?? [], [nowMs]);
    const list = useList({ name: place, rows, columns, facets, width, height, partial });
    const select = useSelectById(list, () => say({ tone: 'warning', text: 'The row is not in the list any more.' }));
    useArrival(place, ({ args: given, text }) => {
      const { id, ...others } = given ?? {};
      const args = Object.fromEntries(Object.entries(others).filter(([name]) => !sourceArguments.includes(name)));
      const problem =
        argumentsProblem(args, Object.fromEntries(facets.map((facet) => [facet.id, anyValue]))) ??
        filterProblem(text ?? '', list.names)?.text ??
        null;
      if (problem !== null) return say({ tone: 'warning', text: problem });
      if (text !== undefined || id !== undefined) list.act({ type: 'filter', text: text ?? '' });
      if (given === undefined) return;
      if (isId(id ?? '')) select(Number(id));
      list.act({ type: 'clearFacets' });
      for (const [facet, value] of Object.entries(args)) list.act({ type: 'facet', facet, value });
    });
    return list;
  }

  function Empty({ context, list, ...area }: { context: Context; list: List<T>; width: number; height: number }) {
    const { reading = '', title, lines = [] } = empty(context);
    const { query } = context.source;
    const count = list.all.length;
    if (count > 0) {
      const text = hiddenText({ count, noun: 'row' }, narrowedBy(list), context.keyOf('list.close'));
      const others = list.unsearched > 0 ? [`${grouped(list.unsearched)} more are not searched yet.`] : [];
      return <Notice title={text} lines={others} {...area} />;
    }
    return query === undefined ? (
      <Notice title={title} lines={lines} {...area} />
    ) : (
      <QueryNotice query={query} reading={reading} empty={title} lines={lines} {...area} />
    );
  }

  return function DescribedList({ visible }) {
    const base = useScreenContext(visible);
    const list = useRowList(base);
    const context: Context = { ...base, select: (id) => list.act({ type: 'reveal', id }) };
    const { query, refresh } = context.source;
    const read = useRow(list.selected, visible && list.state.detail !== 'closed');
    const detail = list.selected === undefined ? undefined : description.detail?.(list.selected, context, read);
    const extras: ListExtras = {
      detailRows: detailRows(list, detail),
      detail,
      noDetail: description.detail === undefined,
      drills: description.drills === true,
      ...(refresh === undefined ? {} : { refresh }),
    };
    const own = description.commands?.(list, context, read) ?? {};
    const views = useListCommands(place, list, { visible, extras, own });
    if (!visible) return null;
    const stale = query === undefined ? null : staleMessage(query, context.nowMs);
    return (
      <ScreenFrame
        chips={[...(description.chips?.(context) ?? []), ...listChips(list)]}
        crumbs={detailCrumbs(list, detail)}
        views={views}
        standing={stale ?? description.standing?.(context) ?? null}
      >
        <ListBody
          list={list}
          detail={detail}
          empty={(width, height) => <Empty context={context} list={list} width={width} height={height} />}
        />
      </ScreenFrame>
    );
  };
}
