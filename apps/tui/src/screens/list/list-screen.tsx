// Turns the description of a list into a screen.
import { type ReactElement, useMemo } from 'react';
import { anyValue, argumentsProblem } from '../../commands/arguments.ts';
import { ScreenFrame, useFrame } from '../../components/frame/screen-frame.tsx';
import { type Detail, innerWidth } from '../../components/list/detail-lines.ts';
import { ListBody } from '../../components/list/list-body.tsx';
import type { ListExtras } from '../../components/list/list-context.ts';
import { type List, useList } from '../../components/list/use-list.ts';
import { Notice, QueryNotice } from '../../components/notice.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import { staleMessage } from '../../data/stale.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { grouped } from '../../text/format.ts';
import type { Run } from '../../text/lines.ts';
import type { ListDescription, ListScreenContext, ListSource } from './list-description.ts';
import { useArrival } from './use-arrival.ts';
import { type ListPlace, useListCommands } from './use-list-commands.ts';

/** A component that draws nothing while it is not visible, and keeps its state. */
export type ScreenView = (props: { readonly visible: boolean }) => ReactElement | null;

const SHOWN_MAX = 24;

/** The filter, the marks and the position of the selection. */
function listChips<T extends { readonly id: number }>({ state, rows, position, total }: List<T>): Run[] {
  const facets = Object.values(state.facets).map(
    (values): Run => ({ text: `[${values.join(', ').slice(0, SHOWN_MAX)}]`, tone: 'notice' }),
  );
  const of = rows.length < total ? `${grouped(rows.length)} (of ${grouped(total)})` : grouped(total);
  return [
    ...(state.range === null ? [] : [{ text: 'range', tone: 'accent' as const }]),
    ...(state.marks.size === 0 ? [] : [{ text: `${grouped(state.marks.size)} marked`, tone: 'accent' as const }]),
    ...(state.filter === '' ? [] : [{ text: `/${state.filter.slice(0, SHOWN_MAX)}`, tone: 'notice' as const }]),
    ...facets,
    ...(rows.length === 0 ? [] : [{ text: `${grouped(position.index + 1)} of ${of}`, tone: 'muted' as const }]),
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

/** Makes the screen of a description. */
export function listScreen<T extends { readonly id: number }, S, P extends ListPlace>(
  description: ListDescription<T, S, P>,
): ScreenView {
  const { place, useSource, clockMs, columns: columnsOf, facets: facetsOf, empty } = description;
  type Context = ListScreenContext<S & ListSource<T>>;

  function useScreenContext(visible: boolean): Context {
    const dashboard = useDashboard();
    const source = useSource(visible);
    const { refresh = ignore } = source;
    const run = useAction(refresh);
    const nowMs = useNow(dashboard.now, clockMs ?? 60_000, visible && clockMs !== undefined);
    return { ...dashboard, source, nowMs, refresh, run };
  }

  function useRowList({ source: { rows }, nowMs, me }: Context): List<T> {
    const { width, height } = useFrame();
    const columns = useMemo(() => columnsOf(rows, nowMs, me), [rows, nowMs, me]);
    const facets = useMemo(() => facetsOf?.(nowMs) ?? [], [nowMs]);
    const list = useList({ name: place, rows, columns, facets, width, height });
    const { say } = useDashboard();
    useArrival(place, ({ args, text }) => {
      const problem = argumentsProblem(args ?? {}, Object.fromEntries(facets.map(({ id }) => [id, anyValue])));
      if (problem !== null) return say({ tone: 'warning', text: problem });
      if (text !== undefined) list.act({ type: 'filter', text });
      if (args === undefined) return;
      list.act({ type: 'clearFacets' });
      for (const [facet, value] of Object.entries(args)) list.act({ type: 'facet', facet, value });
    });
    return list;
  }

  function Empty({ context, ...area }: { context: Context; width: number; height: number }): ReactElement {
    const { reading = '', title, lines = [] } = empty(context);
    const { query } = context.source;
    return query === undefined ? (
      <Notice title={title} lines={lines} {...area} />
    ) : (
      <QueryNotice query={query} reading={reading} empty={title} lines={lines} {...area} />
    );
  }

  return function DescribedList({ visible }) {
    const context = useScreenContext(visible);
    const list = useRowList(context);
    const { query, refresh } = context.source;
    const detail = list.selected === undefined ? undefined : description.detail?.(list.selected, context);
    const extras: ListExtras = {
      detailRows: detailRows(list, detail),
      detail,
      noDetail: description.detail === undefined,
      ...(refresh === undefined ? {} : { refresh }),
    };
    useListCommands(place, list, { visible, extras, own: description.commands?.(list, context) ?? {} });
    if (!visible) return null;
    const stale = query === undefined ? null : staleMessage(query, context.nowMs);
    return (
      <ScreenFrame
        chips={[...(description.chips?.(context) ?? []), ...listChips(list)]}
        crumbs={detailCrumbs(list, detail)}
        standing={stale ?? description.standing?.(context) ?? null}
      >
        <ListBody
          list={list}
          detail={detail}
          empty={(width, height) => <Empty context={context} width={width} height={height} />}
        />
      </ScreenFrame>
    );
  };
}
