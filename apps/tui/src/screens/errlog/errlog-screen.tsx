// The error logs: list, details of the selected entry, live updates.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { type ReactElement, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { ScreenFrame, useFrame } from '../../components/frame/screen-frame.tsx';
import type { Detail } from '../../components/list/detail-lines.ts';
import { ListBody } from '../../components/list/list-body.tsx';
import { closeNext, type ListExtras, listCommands } from '../../components/list/list-commands.ts';
import { detailRows } from '../../components/list/list-screen.tsx';
import { useList } from '../../components/list/use-list.ts';
import { failureLines, Notice } from '../../components/notice.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import { filterWords, NO_FILTER } from '../../data/errlog.ts';
import { curlOf } from '../../data/requests.ts';
import { staleText } from '../../data/stale.ts';
import { useNow } from '../../data/use-now.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { levelTone } from '../../theme.ts';
import { chooseFacet, errlogCommands, filterFor, withFilter } from './errlog-commands.ts';
import { errlogChips, errlogColumns, errlogLines, errlogTitle, loadedGroups } from './errlog-view.ts';
import { type ErrlogModel, useErrlog } from './use-errlog.ts';

/** The screen; while it is not visible it stays up to date and shows nothing. */
export function ErrlogScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { width, height } = useFrame();
  const dashboard = useDashboard();
  const { now, profile, navigation } = dashboard;
  // How many rows are in view is known once the list is laid out; until then as many as could be.
  const [inView, setInView] = useState(Math.max(1, height - 1));
  const model = useErrlog(inView);
  const { state } = model;
  const { filter } = state;
  const nowMs = useNow(now, state.failure !== null ? 1000 : 10_000, visible);

  const rows = useMemo(() => state.order.flatMap((id) => state.rows.get(id) ?? []), [state.order, state.rows]);
  const columns = useMemo(() => errlogColumns(rows, nowMs), [rows, nowMs]);
  const groups = useMemo(() => loadedGroups(rows, filter), [rows, filter]);
  const list = useList<ErrlogEntry>({
    name: 'errlog',
    rows,
    columns,
    groups,
    width,
    height,
    isServed: true,
    own: { cursor: state.cursor, ...model.mover },
  });
  const tableRows = Math.max(1, list.layout.table.height - 1);
  if (tableRows !== inView && list.layout.table.height > 0) setInView(tableRows);
  const { selected } = list;
  const isReading = visible && list.state.detail !== 'closed';
  const { read } = model;
  useEffect(() => read(isReading), [read, isReading]);

  const detail: Detail | undefined =
    selected === undefined
      ? undefined
      : {
          title: errlogTitle(selected),
          tone: levelTone(selected.level),
          lines: (columnsWide) => errlogLines(selected, nowMs, columnsWide),
        };
  const extras: ListExtras = {
    detailRows: detailRows(list, detail),
    refresh: model.refresh,
    onFilter: (text) => model.filter(withFilter(filter, { q: text })),
    onFacet: (facet, value) => model.filter(chooseFacet(filter, facet, value, rows)),
    curl: curlOf({ method: 'GET', url: `${profile.url}/admin-api/log_server/errlog?detail=1&page_size=100` }),
    searches: 'searches all of the log, on the server',
  };
  const isFiltered = Object.keys(filter).length > 0;
  const close = closeNext(list, extras) ?? (isFiltered ? () => model.filter(NO_FILTER) : undefined);
  useCommands(
    'errlog',
    {
      ...listCommands(list, dashboard, extras),
      ...errlogCommands(model, list, dashboard),
      ...(close === undefined ? {} : { close }),
    },
    { active: visible },
  );

  // What somebody wants to see here: once for each visit.
  const arrive = useEffectEvent(() => {
    const { target } = navigation;
    if (target.screen !== 'errlog' || (target.args === undefined && target.text === undefined)) return;
    model.filter(filterFor(target, rows));
    list.act({ type: 'filter', text: target.text ?? '' });
  });
  // `turn` is what tells one visit from the next
  useEffect(() => arrive(), [navigation.turn]);
  if (!visible) return null;

  const { failure, atMs } = state;
  return (
    <ScreenFrame
      chips={errlogChips(state, list.spot.index, list.state.marks.size)}
      crumbs={list.state.detail !== 'closed' && detail !== undefined ? [detail.title] : []}
      standing={failure === null || atMs === 0 ? null : staleText(failure, atMs, nowMs)}
    >
      <ListBody
        list={list}
        detail={detail}
        empty={(columnsWide, rowsHigh) => <EmptyErrlog model={model} width={columnsWide} height={rowsHigh} />}
      />
    </ScreenFrame>
  );
}

interface EmptyProps {
  readonly model: ErrlogModel;
  readonly width: number;
  readonly height: number;
}

function EmptyErrlog({ model, width, height }: EmptyProps): ReactElement {
  const { failure, filter, total } = model.state;
  if (failure !== null) {
    return <Notice title={failure.message} tone="bad" lines={failureLines(failure)} width={width} height={height} />;
  }
  if (total === null) return <Notice title="Reading the error logs…" tone="muted" width={width} height={height} />;
  const words = [...filterWords(filter, (src) => `#${src}`), ...(filter.q === undefined ? [] : [`with "${filter.q}"`])];
  return words.length === 0 ? (
    <Notice
      title="No errors."
      lines={['New ones appear here by themselves, as soon as a source sends them.']}
      width={width}
      height={height}
    />
  ) : (
    <Notice
      title={`Nothing: ${words.join(', ')}.`}
      lines={['Press Esc to see everything.']}
      width={width}
      height={height}
    />
  );
}
