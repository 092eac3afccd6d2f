// The screen of the lines: everything that is stored, oldest on top, then what arrives.
import { LINE_FIELDS } from '@quarterdeck/core/filter';
import { anyValue, argumentsProblem, filterProblem } from '@quarterdeck/views/filters';
import {
  cursorOf,
  growShape,
  type LineQuery,
  type LineRow,
  type LinesState,
  lineQuery,
  NO_SHAPE,
} from '@quarterdeck/views/lines';
import { useNow } from '@quarterdeck/views/react';
import { staleText, whyEmptyText } from '@quarterdeck/views/reads';
import type { StoredFilter } from '@quarterdeck/views/saved-views';
import { clean, clock } from '@quarterdeck/views/text';
import { Box } from 'ink';
import { type ReactElement, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { FirstLines } from '../../components/first-lines.tsx';
import { ScreenFrame, useFrame } from '../../components/frame/screen-frame.tsx';
import type { Area } from '../../components/geometry.ts';
import { Lines } from '../../components/lines.tsx';
import type { Column } from '../../components/list/column.ts';
import { type Detail, innerWidth } from '../../components/list/detail-lines.ts';
import { ListBody } from '../../components/list/list-body.tsx';
import { type List, useList } from '../../components/list/use-list.ts';
import { failureLines, Notice } from '../../components/notice.tsx';
import { useDashboard } from '../../context/dashboard.ts';
import { pressTo } from '../../keys/key-hints.ts';
import { levelTone } from '../../theme/theme.ts';
import { detailCrumbs } from '../list/list-screen.tsx';
import { useArrival } from '../list/use-arrival.ts';
import { type LineColumnWidths, lineColumns, lineWidths } from '../shared/line-columns.ts';
import { lineDetail, lineFields, lineTitle } from './line-detail.ts';
import { aroundChips, aroundStatus, linesChips, linesStatus } from './line-view.ts';
import { isInDetail } from './lines-commands.ts';
import { type Around, useAround } from './use-around.ts';
import { type LinesModel, useLines } from './use-lines.ts';
import { useLinesKeys } from './use-lines-keys.ts';

interface EmptyLinesProps extends Area {
  readonly state: LinesState;
  readonly filter: string;
}

/** Reading, failed, searching, no match, or how to send lines. */
function EmptyLines({ state, filter, ...area }: EmptyLinesProps): ReactElement {
  const { keyOf, now } = useDashboard();
  const { failure, meta, older, query } = state;
  if (failure !== null)
    return <Notice title={failure.message} tone="bad" lines={failureLines(failure, keyOf)} {...area} />;
  if (meta === null) return <Notice title="Reading the lines…" tone="muted" {...area} />;
  if (older !== null) return <Notice title="Searching older lines…" tone="muted" {...area} />;
  const isBounded = query.start_time !== undefined || query.end_time !== undefined;
  if (filter === '' && !isBounded) {
    return <FirstLines title="No lines yet." {...area} />;
  }
  const why = whyEmptyText(meta, now());
  return (
    <Notice
      title={filter === '' ? 'No lines in this time.' : `No line matches ${clean(filter)}.`}
      lines={[...(why === undefined ? [] : [why]), ...(filter === '' ? [] : pressTo(keyOf('list.close'), 'go back'))]}
      {...area}
    />
  );
}

/** Row under the list. */
const STATUS_ROWS = 1;
const NO_ROWS: readonly LineRow[] = [];

/** The id of a line on the server, for bookmarks. */
const lineId = ({ line }: LineRow): string => line.id;

/** The filter and range as a query, the same object until they change. */
function useLineQuery(filter: string): LineQuery {
  const { range, now } = useDashboard();
  return useMemo(() => lineQuery(filter, range, Math.floor(now() / 1000)), [filter, range, now]);
}

/** A column that marks the line whose surroundings are shown. */
const markColumn = (id: string): Column<LineRow> => ({
  id: 'mark',
  title: ' ',
  width: 1,
  pinned: true,
  cell: ({ line }) => ({ text: line.id === id ? '›' : '', tone: 'accent' }),
});

function useColumns({ state: { shape, rows } }: LinesModel, { shown }: Around, nowMs: number): Column<LineRow>[] {
  const { zone } = useDashboard();
  const aroundShape = useMemo(() => growShape(NO_SHAPE, shown?.rows.map(({ line }) => line) ?? []), [shown?.rows]);
  const oldestS = (shown?.rows ?? rows)[0]?.line.time ?? nowMs / 1000;
  // The same columns while their widths are the same: unchanged rows are not drawn again.
  const widths = JSON.stringify(lineWidths(shown === null ? shape : aroundShape, oldestS, nowMs));
  const marked = shown?.line.id;
  return useMemo(() => {
    const columns = lineColumns(JSON.parse(widths) as LineColumnWidths, nowMs).map(
      ({ cell, text, moment, number, ...column }): Column<LineRow> => ({
        ...column,
        cell: ({ line }) => cell(line),
        ...(moment === undefined ? {} : { moment: ({ line }: LineRow) => moment(line) }),
        ...(number === undefined ? {} : { number: ({ line }: LineRow) => number(line) }),
        ...(text === undefined ? {} : { text: ({ line }: LineRow) => text(line) }),
      }),
    );
    return marked === undefined ? columns : [markColumn(marked), ...columns];
    // The zone changes every shown time.
  }, [widths, nowMs, marked, zone]);
}

function useLinesList(model: LinesModel, around: Around, inView: number, nowMs: number): List<LineRow> {
  const { width, height } = useFrame();
  const { state, dispatch } = model;
  const { shown } = around;
  const tail = {
    cursor: cursorOf(state, inView),
    by: (by: number) => dispatch({ type: 'move', by, height: inView }),
    to: (index: number) => dispatch({ type: 'moveTo', index, height: inView }),
  };
  const isRefused = state.failure !== null && state.meta === null;
  return useList<LineRow>({
    name: 'lines',
    rows: shown?.rows ?? (isRefused ? NO_ROWS : state.rows),
    columns: useColumns(model, around, nowMs),
    width,
    height: Math.max(2, height - STATUS_ROWS),
    isServed: true,
    names: LINE_FIELDS,
    rowKey: lineId,
    own: shown === null ? tail : { cursor: shown.cursor, by: around.by, to: around.to },
  });
}

/** The details of the selected line with the selected field. */
function useLineDetail(list: List<LineRow>, fieldName: string | null) {
  const { selected, layout } = list;
  const line = selected?.line;
  const at =
    line === undefined || !isInDetail(list) ? -1 : lineFields(line).findIndex(({ name }) => name === fieldName);
  const width = innerWidth(layout.detail.width, layout.side);
  const { zone } = useDashboard();
  // While following, the selection changes with each batch of lines.
  const drawn = layout.detail.width > 0 ? line : undefined;
  const placed = useMemo(
    () => (drawn === undefined ? undefined : lineDetail(drawn, at, width)),
    [drawn, at, width, zone],
  );
  const detail: Detail | undefined =
    line === undefined
      ? undefined
      : {
          title: lineTitle(line),
          tone: levelTone(line.level),
          lines: (columns) =>
            (placed !== undefined && columns === width ? placed : lineDetail(line, at, columns)).lines,
        };
  return { detail, placed };
}

/** The screen; while it is not visible it keeps its lines and reads no new ones. */
export function LinesScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { width, height } = useFrame();
  const { now, keyOf, say, navigation } = useDashboard();
  const [filter, setFilterText] = useState('');
  const [home, setHome] = useState('');
  const [fieldName, setFieldName] = useState<string | null>(null);
  const [inView, setInView] = useState(Math.max(1, height - 1 - STATUS_ROWS));
  const model = useLines(useLineQuery(filter), inView, visible);
  const { state, dispatch, isLive } = model;
  const nowMs = useNow(now, state.failure !== null ? 1_000 : 10_000, visible);
  const around = useAround(inView);
  const list = useLinesList(model, around, inView, nowMs);
  const tableRows = list.layout.table.height > 0 ? Math.max(1, list.layout.table.height - 1) : inView;
  if (tableRows !== inView) setInView(tableRows);
  const { detail, placed } = useLineDetail(list, fieldName);
  const isReading = around.shown !== null || (visible && list.state.detail !== 'closed');
  useEffect(() => dispatch({ type: 'read', open: isReading, height: inView }), [dispatch, isReading, inView]);

  const setFilter = (text: string): void => {
    const problem = filterProblem(text, LINE_FIELDS);
    if (problem !== null) {
      say({ tone: 'bad', text: problem.text });
      return;
    }
    around.leave();
    setFilterText(text.trim());
    list.act({ type: 'filter', text: text.trim() });
  };
  useArrival('lines', ({ args = {}, text = '' }) => {
    const problem = argumentsProblem(args, { id: anyValue }) ?? filterProblem(text, LINE_FIELDS)?.text ?? null;
    if (problem !== null) return say({ tone: 'warning', text: problem });
    const { id } = args;
    if (id !== undefined) return around.enter(id);
    setHome(text.trim());
    setFilter(text);
    if (list.state.detail !== 'closed') list.act({ type: 'detail', detail: 'closed' });
  });
  const showView = ({ filter: text = '' }: StoredFilter): void => {
    setHome('');
    setFilter(String(text));
  };
  const clearFilter = (): void => showView({});
  // The key and the word of the screen show all lines again after those of one error.
  const forgetHome = useEffectEvent(() => {
    const { target, isReturn } = navigation;
    if (target.screen !== 'lines' || target.text !== undefined || isReturn || home === '') return;
    if (filter === home) clearFilter();
    else setHome('');
  });
  useEffect(() => forgetHome(), [navigation.visits]);
  const parts = { list, filter, setFilter, clearFilter, showView, around, fieldName, setFieldName };
  const views = useLinesKeys(model, { parts, detail, layout: placed, home, visible });
  if (!visible) return null;

  const { shown } = around;
  const { failure, atMs } = state;
  const { index } = list.position;
  const marked = list.state.marks.size;
  const follow = keyOf('lines.follow') ?? ':follow';
  const status =
    shown === null
      ? linesStatus(state, { followKey: follow, nowMs, width })
      : aroundStatus(shown.rows.length - 1, shown.line.source, keyOf('list.close') ?? 'Esc');
  return (
    <ScreenFrame
      chips={
        shown === null
          ? linesChips(state, { filter, note: list.filter?.note ?? '', isLive, index, marked })
          : aroundChips(index, shown.rows.length, marked)
      }
      crumbs={[
        ...(shown === null ? [] : [`around ${clock(new Date(shown.line.time * 1000))}`]),
        ...detailCrumbs(list, detail),
      ]}
      views={views}
      standing={failure === null || atMs === 0 ? null : staleText(failure, atMs, nowMs)}
    >
      <Box flexDirection="column">
        <ListBody
          list={list}
          detail={detail}
          empty={(columns, rows) => <EmptyLines state={state} filter={filter} width={columns} height={rows} />}
        />
        <Lines lines={[status]} width={width} height={STATUS_ROWS} />
      </Box>
    </ScreenFrame>
  );
}
