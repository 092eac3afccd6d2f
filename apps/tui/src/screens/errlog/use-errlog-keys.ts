// The keys of the error log, and the changes that they make.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { useState } from 'react';
import type { ListExtras } from '../../components/list/list-context.ts';
import type { List } from '../../components/list/use-list.ts';
import { type Dashboard, useDashboard } from '../../data/dashboard.ts';
import { allErrlog, errlogValueCounts, NO_FILTER } from '../../data/errlog.ts';
import { curlOf } from '../../data/requests.ts';
import { useAction } from '../../data/use-action.ts';
import { detailRows } from '../list/list-screen.tsx';
import { useListCommands } from '../list/use-list-commands.ts';
import {
  chooseFacet,
  type ErrlogActions,
  errlogCommands,
  isSortable,
  sortFilter,
  withFilter,
} from './errlog-commands.ts';
import type { PreviousStates } from './errlog-dialogs.ts';
import type { ErrlogModel } from './use-errlog.ts';
import type { ErrlogChart } from './use-errlog-chart.ts';
import type { ErrlogDetail } from './use-errlog-detail.ts';

/** The functions of the list that the server does: filter, order, counts, export. */
function servedExtras(model: ErrlogModel, { client, profile, say }: Dashboard): Partial<ListExtras> {
  const { filter } = model.state;
  return {
    refresh: model.refresh,
    onFilter: (text) => model.filter(withFilter(filter, { q: text })),
    onFacet: (facet, key) => model.filter(chooseFacet(filter, facet, key)),
    onSort(column) {
      const sorted = sortFilter(filter, column);
      if (sorted === null) say({ tone: 'notice', text: 'The server sorts by time, first time and count.' });
      else model.filter(sorted);
    },
    isSortable,
    frequency: (column) => errlogValueCounts(client, filter, column),
    curl: curlOf({ method: 'GET', url: `${profile.url}/admin-api/log_server/errlog?detail=1&page_size=100` }),
    all: () => allErrlog(client, filter),
    searches: 'searches the whole log, on the server',
  };
}

interface ErrlogParts {
  readonly list: List<ErrlogEntry>;
  readonly chart: ErrlogChart;
  readonly detail: ErrlogDetail;
  readonly visible: boolean;
  readonly nowMs: number;
}

/** Binds the keys while the screen is visible. */
export function useErrlogKeys(model: ErrlogModel, { list, chart, detail, visible, nowMs }: ErrlogParts): void {
  const dashboard = useDashboard();
  const { refresh } = model;
  const run = useAction(refresh);
  const [before, setBefore] = useState<PreviousStates | null>(null);
  const actions: ErrlogActions = {
    updates: {
      client: dashboard.client,
      isProtected: dashboard.profile.isProtected,
      keyOf: dashboard.keyOf,
      onChanged(entries) {
        setBefore(entries);
        list.act({ type: 'unmark' });
        refresh();
      },
    },
    run,
    before,
    clearBefore: () => setBefore(null),
    chart,
    detail,
  };
  const isFiltered = Object.keys(model.state.filter).length > 0;
  useListCommands('errlog', list, {
    visible,
    extras: {
      ...servedExtras(model, dashboard),
      detail: detail.detail,
      detailRows: detailRows(list, detail.detail),
    },
    own: errlogCommands(model, list, dashboard, actions, Math.floor(nowMs / 1000)),
    above: chart.rows,
    clear: isFiltered ? () => model.filter(NO_FILTER) : undefined,
  });
}
