// The keys of the error log, and the changes that they make.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import {
  allErrlog,
  chooseFacet,
  type ErrlogFilter,
  errlogFilterSource,
  errlogValueCounts,
  isSortable,
  NO_FILTER,
  sortFilter,
  withoutRange,
} from '@quarterdeck/views/errlog';
import { withChange } from '@quarterdeck/views/filters';
import { waysToSend } from '@quarterdeck/views/lines';
import { useAction } from '@quarterdeck/views/react';
import { curlOf } from '@quarterdeck/views/text';
import { rangeBounds } from '@quarterdeck/views/times';
import { openFirstToken } from '../../components/first-lines.tsx';
import { sortableTitles } from '../../components/list/column.ts';
import type { ListExtras } from '../../components/list/list-context.ts';
import type { List } from '../../components/list/use-list.ts';
import { type Dashboard, useDashboard } from '../../context/dashboard.ts';
import type { Run } from '../../theme/lines.ts';
import { detailRows } from '../list/list-screen.tsx';
import { useListCommands } from '../list/use-list-commands.ts';
import { useOpenLater } from '../shared/use-open-later.ts';
import { type ErrlogActions, errlogCommands } from './errlog-commands.ts';
import type { ErrlogModel } from './use-errlog.ts';
import type { ErrlogChart } from './use-errlog-chart.ts';
import type { ErrlogDetail } from './use-errlog-detail.ts';

/** The functions of the list that the server does: filter, order, counts, export. */
function servedExtras(
  model: ErrlogModel,
  columns: List<ErrlogEntry>['allColumns'],
  { client, profile, say, range, now }: Dashboard,
): Partial<ListExtras> {
  const { filter } = model.state;
  const query = { ...filter, ...rangeBounds(range, Math.floor(now() / 1000)) };
  return {
    refresh: model.refresh,
    onFilter: (text) => model.filter(withChange(filter, { filter: text.trim() })),
    onFacet: (facet, key) => model.filter(chooseFacet(filter, facet, key)),
    onSort(column) {
      const sorted = sortFilter(filter, column);
      if (sorted === null)
        say({
          tone: 'notice',
          text: `The server sorts by ${sortableTitles(columns, (id) => isSortable(filter, id))}.`,
        });
      else model.filter(sorted);
    },
    isSortable: (column) => isSortable(filter, column),
    frequency: (column) => errlogValueCounts(client, query, column),
    curl: curlOf({ method: 'GET', url: `${profile.url}/admin-api/log_server/errlog?detail=1&page_size=100` }),
    all: (progress) => allErrlog(client, query, progress),
    json: withoutRange,
    filterSource: errlogFilterSource(client, filter, rangeBounds(range, Math.floor(now() / 1000))),
    bookmark: ({ log, log_time: timeS }: ErrlogEntry) => ({ title: log.split('\n', 1)[0] ?? '', timeS }),
  };
}

interface ErrlogParts {
  readonly list: List<ErrlogEntry>;
  readonly chart: ErrlogChart;
  readonly detail: ErrlogDetail;
  readonly visible: boolean;
  readonly nowMs: number;
}

/** Binds the keys while the screen is visible. Returns the saved views as tabs. */
export function useErrlogKeys(
  model: ErrlogModel,
  { list, chart, detail, visible, nowMs }: ErrlogParts,
): readonly Run[] {
  const dashboard = useDashboard();
  const { refresh } = model;
  const run = useAction(refresh);
  const openLater = useOpenLater();
  const actions: ErrlogActions = {
    updates: {
      client: dashboard.client,
      isProtected: dashboard.profile.isProtected,
      recordUndo: dashboard.recordUndo,
      onChanged() {
        list.act({ type: 'unmark' });
        refresh();
      },
    },
    run,
    openLater,
    chart,
    detail,
  };
  const isFiltered = Object.keys(model.state.filter).length > 0;
  const isFirst = !isFiltered && dashboard.range === null && model.state.total === 0;
  return useListCommands('errlog', list, {
    visible,
    filter: { value: model.state.filter, set: (filter) => model.filter(filter as ErrlogFilter), hasRange: true },
    extras: {
      ...servedExtras(model, list.allColumns, dashboard),
      ...(isFirst ? { ways: waysToSend(dashboard.profile.url).map(({ command }) => command) } : {}),
      detail: detail.detail,
      detailRows: detailRows(list, detail.detail),
    },
    own: {
      ...errlogCommands(model, list, dashboard, actions, Math.floor(nowMs / 1000)),
      ...(isFirst ? { create: () => openFirstToken(dashboard, openLater) } : {}),
    },
    above: chart.rows,
    clear: isFiltered ? () => model.filter(NO_FILTER) : undefined,
  });
}
