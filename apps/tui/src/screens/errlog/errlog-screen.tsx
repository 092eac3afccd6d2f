// The error logs: chart, list, details of the selected entry, live updates.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { Box } from 'ink';
import { type ReactElement, use, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { argumentsProblem } from '../../commands/arguments.ts';
import { BODY_TOP } from '../../components/frame/geometry.ts';
import { ScreenFrame, useFrame } from '../../components/frame/screen-frame.tsx';
import { Lines } from '../../components/lines.tsx';
import type { Detail } from '../../components/list/detail-lines.ts';
import { ListBody } from '../../components/list/list-body.tsx';
import { closeNext, type ListExtras, listCommands } from '../../components/list/list-commands.ts';
import { listMouse } from '../../components/list/list-mouse.ts';
import { detailRows } from '../../components/list/list-screen.tsx';
import type { ListChoices } from '../../components/list/list-state.ts';
import { useList } from '../../components/list/use-list.ts';
import { DrawingContext } from '../../components/text.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import { allErrlog, errlogFrequencies, NO_FILTER } from '../../data/errlog.ts';
import { failureOf } from '../../data/failure.ts';
import { hasData } from '../../data/query.ts';
import { curlOf } from '../../data/requests.ts';
import { sourcesNamed } from '../../data/sources.ts';
import { staleText } from '../../data/stale.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { clean } from '../../text/clean.ts';
import { levelTone } from '../../theme.ts';
import { changesLines } from './changes-view.ts';
import { type ChartWindow, LAST_DAY } from './chart-window.ts';
import { chooseSource } from './choose-source.ts';
import { EmptyErrlog } from './empty-errlog.tsx';
import { chartBuckets, chartLines, chartRows } from './errlog-chart.ts';
import {
  chooseFacet,
  ERRLOG_ARGUMENTS,
  errlogCommands,
  filterFor,
  isSortable,
  orderOf,
  sortFilter,
  withFilter,
} from './errlog-commands.ts';
import type { Before } from './errlog-dialogs.ts';
import {
  errlogChips,
  errlogColumns,
  errlogGroups,
  errlogLines,
  errlogTick,
  errlogTitle,
  errlogWidths,
} from './errlog-view.ts';
import { useChanges } from './use-changes.ts';
import { useErrlog } from './use-errlog.ts';
import { useFacets, useHistogram, useOccurrences } from './use-errlog-extras.ts';

const panesOf = (choices: Pick<ListChoices, 'facetsOpen' | 'detail'> | undefined) => ({
  facets: choices?.facetsOpen === true,
  detail: choices !== undefined && choices.detail !== 'closed',
});

/** The screen; while it is not visible it stays up to date and shows nothing. */
export function ErrlogScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { width, height } = useFrame();
  const dashboard = useDashboard();
  const { client, now, profile, navigation, glyphs, store } = dashboard;
  const [inView, setInView] = useState(Math.max(1, height - 1));
  const model = useErrlog(inView);
  const { state } = model;
  const { filter } = state;
  const nowMs = useNow(now, state.failure !== null ? 1000 : 10_000, visible);
  const [window, setWindow] = useState<ChartWindow>(LAST_DAY);
  const [before, setBefore] = useState<Before | null>(null);
  const [chartOpen, setChartOpen] = useState(true);
  // What of the list's state has to be known before the list is laid out.
  const [panes, setPanes] = useState(() => panesOf(store.get().lists['errlog']));

  const rows = useMemo(() => state.order.flatMap((id) => state.rows.get(id) ?? []), [state.order, state.rows]);
  const { time, source, state: stateWidth } = useMemo(() => errlogWidths(rows, nowMs, width), [rows, nowMs, width]);
  // The same columns while they are as wide: rows that have not changed are not made again.
  const columns = useMemo(
    () => errlogColumns({ time, source, state: stateWidth }, nowMs),
    [time, source, stateWidth, nowMs],
  );
  const facets = useFacets(filter, visible && panes.facets);
  const groups = useMemo(() => (facets === undefined ? [] : errlogGroups(facets, filter)), [facets, filter]);
  // A chart says nothing to whoever listens to the screen.
  const hasChart = chartOpen && use(DrawingContext) !== 'words';
  const above = chartRows(height, hasChart, panes.detail);
  const histogram = useHistogram(filter, window, chartBuckets(width, glyphs), visible && above > 0);
  const chart = useMemo(
    () => (histogram === undefined ? [] : chartLines(histogram, { width, rows: above, window, glyphs, nowMs })),
    [histogram, width, above, window, glyphs, nowMs],
  );
  const list = useList<ErrlogEntry>({
    name: 'errlog',
    rows,
    columns,
    groups,
    width,
    height,
    above,
    isServed: true,
    order: orderOf(filter),
    own: { cursor: state.cursor, ...model.mover },
  });
  // How many rows are in view is known once the list is laid out.
  const tableRows = Math.max(1, list.layout.table.height - 1);
  if (tableRows !== inView && list.layout.table.height > 0) setInView(tableRows);
  const panesNow = panesOf(list.state);
  if (panesNow.facets !== panes.facets || panesNow.detail !== panes.detail) setPanes(panesNow);
  const { selected } = list;
  const isReading = visible && list.state.detail !== 'closed';
  const { read, refresh } = model;
  useEffect(() => read(isReading), [read, isReading]);
  const [showsChanges, setShowsChanges] = useState(false);
  const occurrences = useOccurrences(selected?.id, isReading && !showsChanges);
  const changes = useChanges(selected?.id, isReading && showsChanges);
  const deed = useAction(refresh);

  const detail: Detail | undefined =
    selected === undefined
      ? undefined
      : {
          title: showsChanges ? `What changed before ${errlogTitle(selected)}` : errlogTitle(selected),
          tone: levelTone(selected.level),
          lines: (columnsWide) =>
            showsChanges
              ? changesLines(changes, nowMs, columnsWide)
              : errlogLines(selected, occurrences, nowMs, columnsWide),
        };
  const extras: ListExtras = {
    detailRows: detailRows(list, detail),
    detail,
    refresh,
    onFilter: (text) => model.filter(withFilter(filter, { q: text })),
    onFacet: (facet, key) => model.filter(chooseFacet(filter, facet, key)),
    onSort: (id) => {
      const sorted = sortFilter(filter, id);
      if (sorted === null) dashboard.say({ tone: 'notice', text: 'The server sorts by time, first time and count.' });
      else model.filter(sorted);
    },
    isSortable,
    frequency: (column) => errlogFrequencies(client, filter, column),
    curl: curlOf({ method: 'GET', url: `${profile.url}/admin-api/log_server/errlog?detail=1&page_size=100` }),
    all: () => allErrlog(client, filter),
    searches: 'searches all of the log, on the server',
  };
  const isFiltered = Object.keys(filter).length > 0;
  const close = closeNext(list, extras) ?? (isFiltered ? () => model.filter(NO_FILTER) : undefined);
  const doings = {
    deeds: {
      client,
      isProtected: profile.isProtected,
      onChanged: (entries: Before) => {
        setBefore(entries);
        list.act({ type: 'unmark' });
        refresh();
      },
    },
    deed,
    before,
    forget: () => setBefore(null),
    window,
    setWindow,
    toggleChart: () => setChartOpen((open) => !open),
    changes: hasData(changes) ? changes.data : null,
    showsChanges,
    showChanges(shown: boolean) {
      setShowsChanges(shown);
      if (selected !== undefined) list.act({ type: 'scroll', id: selected.id, to: 0 });
      if (shown && list.state.detail === 'closed') list.act({ type: 'detail', detail: 'open' });
    },
  };
  const shared = listCommands(list, dashboard, extras);
  useCommands(
    'errlog',
    {
      ...shared,
      ...errlogCommands(model, list, dashboard, doings, Math.floor(nowMs / 1000)),
      ...(close === undefined ? {} : { close }),
    },
    { active: visible, onMouse: listMouse(list, { top: BODY_TOP + above, commands: shared, extras }) },
  );

  // What somebody wants to see here: once for each visit.
  const arrive = useEffectEvent((signal: AbortSignal) => {
    const { target } = navigation;
    if (target.screen !== 'errlog' || (target.args === undefined && target.text === undefined)) return;
    const problem = argumentsProblem(target.args ?? {}, ERRLOG_ARGUMENTS);
    if (problem !== null) return dashboard.say({ tone: 'warning', text: problem });
    const show = (named?: number): void => {
      model.filter(filterFor(target, named));
      list.act({ type: 'filter', text: target.text ?? '' });
    };
    const name = target.args?.['source'];
    if (name === undefined) return show();
    sourcesNamed(client, name, signal)
      .then((sources) => {
        if (signal.aborted) return;
        if (sources.length > 0) chooseSource(sources, dashboard.open, show);
        else dashboard.say({ tone: 'warning', text: `There is no source ${clean(name)}.` });
      })
      .catch((error: unknown) => {
        if (signal.aborted) return;
        dashboard.fail(error);
        dashboard.say({ tone: 'bad', text: failureOf(error).message });
      });
  });
  // `turn` is what tells one visit from the next
  useEffect(() => {
    const left = new AbortController();
    arrive(left.signal);
    return () => left.abort();
  }, [navigation.turn]);
  if (!visible) return null;

  const { failure, atMs } = state;
  return (
    <ScreenFrame
      chips={errlogChips(state, list.spot.index, list.state.marks.size)}
      crumbs={list.state.detail !== 'closed' && detail !== undefined ? [detail.title] : []}
      standing={failure === null || atMs === 0 ? null : staleText(failure, atMs, nowMs)}
    >
      <Box flexDirection="column">
        {above > 0 && <Lines lines={chart} width={width} height={above} />}
        <ListBody
          list={list}
          detail={detail}
          tick={errlogTick}
          of={state.total ?? 0}
          empty={(columnsWide, rowsHigh) => <EmptyErrlog state={state} width={columnsWide} height={rowsHigh} />}
        />
      </Box>
    </ScreenFrame>
  );
}
