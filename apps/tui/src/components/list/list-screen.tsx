// A screen that is a list: everything such screens share. What differs comes as data from the noun.
import { type ReactElement, type ReactNode, useEffect, useEffectEvent } from 'react';
import { anyValue, argumentsProblem } from '../../commands/arguments.ts';
import { type Message, useDashboard } from '../../data/dashboard.ts';
import type { Place } from '../../keys/keymap.ts';
import { type Commands, useCommands } from '../../keys/use-commands.ts';
import type { Screen } from '../../navigation.ts';
import { grouped } from '../../text/format.ts';
import type { Run } from '../../text/lines.ts';
import { BODY_TOP } from '../frame/geometry.ts';
import { ScreenFrame, useFrame } from '../frame/screen-frame.tsx';
import type { Column } from './column.ts';
import { type Detail, innerWidth } from './detail-lines.ts';
import { ListBody } from './list-body.tsx';
import { closeNext, type ListExtras, listCommands } from './list-commands.ts';
import type { Facet } from './list-filter.ts';
import { listMouse } from './list-mouse.ts';
import type { ListState } from './list-state.ts';
import { type List, useList } from './use-list.ts';

/** Screens that are lists and nothing else. */
type ListPlace = Extract<Place, Screen>;

interface ListScreenProps<T extends { readonly id: number }> {
  readonly place: ListPlace;
  readonly visible: boolean;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly facets?: readonly Facet<T>[];
  readonly sort?: ListState['sort'];
  readonly detail?: (row: T) => Detail;
  readonly empty: (width: number, height: number) => ReactNode;
  /** Commands of the screen itself. */
  readonly commands?: (list: List<T>) => Readonly<Record<string, (() => void) | undefined>>;
  readonly extras?: Omit<ListExtras, 'detail' | 'detailRows'>;
  /** More than the list itself can say; the most important first. */
  readonly chips?: readonly Run[];
  readonly standing?: Message | null;
}

const SHOWN_MAX = 24;

/** What narrows a list, what is marked, where the selection is. */
export function listChips<T extends { readonly id: number }>(list: List<T>, total = list.total): Run[] {
  const { state, rows, spot } = list;
  const facets = Object.values(state.facets).map(
    (values): Run => ({ text: `[${values.join(', ').slice(0, SHOWN_MAX)}]`, tone: 'notice' }),
  );
  const of = rows.length < total ? `${grouped(rows.length)} (of ${grouped(total)})` : grouped(total);
  return [
    ...(state.range === null ? [] : [{ text: 'range', tone: 'accent' as const }]),
    ...(state.marks.size === 0 ? [] : [{ text: `${grouped(state.marks.size)} marked`, tone: 'accent' as const }]),
    ...(state.filter === '' ? [] : [{ text: `/${state.filter.slice(0, SHOWN_MAX)}`, tone: 'notice' as const }]),
    ...facets,
    ...(rows.length === 0 ? [] : [{ text: `${grouped(spot.index + 1)} of ${of}`, tone: 'muted' as const }]),
  ];
}

/** How many lines the details have in the pane they are in. */
export const detailRows = <T extends { readonly id: number }>(list: List<T>, detail: Detail | undefined): number =>
  detail === undefined || list.layout.detail.width === 0
    ? 0
    : detail.lines(innerWidth(list.layout.detail.width, list.layout.side)).length;

/** The screen. While it is not visible it shows nothing, and keeps what is known. */
export function ListScreen<T extends { readonly id: number }>(props: ListScreenProps<T>): ReactElement | null {
  const { place, visible, rows, columns, facets, sort, commands, extras = {}, chips = [], standing = null } = props;
  const { width, height } = useFrame();
  const dashboard = useDashboard();
  const list = useList({
    name: place,
    rows,
    columns,
    width,
    height,
    ...(facets === undefined ? {} : { facets }),
    ...(sort === undefined ? {} : { sort }),
  });
  const detail = list.selected === undefined ? undefined : props.detail?.(list.selected);
  const all: ListExtras = {
    ...extras,
    detailRows: detailRows(list, detail),
    detail,
    ...(props.detail === undefined ? { noDetail: true } : {}),
  };
  const back = closeNext(list, all);
  const shared = listCommands(list, dashboard, all);
  useCommands(
    place,
    {
      ...shared,
      ...commands?.(list),
      ...(back === undefined ? {} : { close: back }),
    } as Commands<ListPlace>,
    { active: visible, onMouse: listMouse(list, { top: BODY_TOP, commands: shared, extras: all }) },
  );

  // What somebody wants to see here: once for each visit.
  const { target, turn } = dashboard.navigation;
  const arrive = useEffectEvent(() => {
    if (target.screen !== place) return;
    const { args, text } = target;
    const problem = argumentsProblem(args ?? {}, Object.fromEntries((facets ?? []).map(({ id }) => [id, anyValue])));
    if (problem !== null) return dashboard.say({ tone: 'warning', text: problem });
    if (text !== undefined) list.act({ type: 'filter', text });
    if (args === undefined) return;
    list.act({ type: 'clearFacets' });
    for (const [facet, value] of Object.entries(args)) list.act({ type: 'facet', facet, value });
  });
  // `turn` is what tells one visit from the next
  useEffect(() => arrive(), [turn]);
  if (!visible) return null;

  return (
    <ScreenFrame
      chips={[...chips, ...listChips(list)]}
      crumbs={list.state.detail !== 'closed' && detail !== undefined ? [detail.title] : []}
      standing={standing}
    >
      <ListBody list={list} detail={detail} empty={props.empty} />
    </ScreenFrame>
  );
}
