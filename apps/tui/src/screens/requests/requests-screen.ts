// The screen of the requests this dashboard made. Neither credentials nor bodies are kept.

import { failureOf } from '@quarterdeck/views/failures';
import { clean, curlOf } from '@quarterdeck/views/text';
import { use } from 'react';
import type { Column } from '../../components/list/column.ts';
import { type Detail, type Facts, factDetail, heading, paragraph } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import { ShellContext } from '../../context/shell.ts';
import { latencyMs, type RequestEntry } from '../../data/requests.ts';
import type { BaseTone } from '../../theme/theme.ts';
import { timeColumn } from '../list/columns.ts';
import { listScreen } from '../list/list-screen.tsx';
import { useLogRows } from '../list/use-log-rows.ts';

const path = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

function outcome({ status, aborted, error }: RequestEntry): { text: string; tone: BaseTone } {
  if (aborted === true) return { text: '– aborted', tone: 'faint' };
  if (status === undefined) return { text: '✖ no answer', tone: 'bad' };
  return error === undefined && status < 400
    ? { text: `✓ ${status}`, tone: 'good' }
    : { text: `✖ ${status}`, tone: 'bad' };
}

const COLUMNS: readonly Column<RequestEntry>[] = [
  timeColumn,
  { id: 'result', title: 'Result', width: 12, pinned: true, cell: outcome },
  {
    id: 'took',
    title: 'Took',
    width: 7,
    align: 'right',
    cell: ({ durationMs }) => ({ text: `${Math.round(durationMs)} ms`, tone: durationMs > 1000 ? 'warning' : 'muted' }),
    value: ({ durationMs }) => durationMs,
    number: ({ durationMs }) => durationMs,
  },
  {
    id: 'method',
    title: 'Method',
    width: 6,
    cell: ({ method }) => ({ text: method, ...(method === 'GET' ? { tone: 'muted' as const } : {}) }),
  },
  { id: 'path', title: 'Path', width: 24, grow: 1, searched: true, cell: ({ url }) => ({ text: path(url) }) },
];

const FACETS: readonly Facet<RequestEntry>[] = [
  { id: 'method', title: 'Method', value: ({ method }) => method },
  { id: 'result', title: 'Result', value: (entry) => outcome(entry).text.slice(2) },
];

function useRequests() {
  const { requests } = use(ShellContext);
  return { rows: useLogRows(requests), clear: requests.clear };
}

function requestDetail(entry: RequestEntry): Detail {
  const { error, durationMs, attempt } = entry;
  const { text, tone } = outcome(entry);
  const facts: Facts = [
    { label: 'Result', value: text, tone },
    error === undefined ? null : { label: 'Reason', value: failureOf(error).message },
    { label: 'Took', value: `${durationMs.toFixed(1)} ms` },
    { label: 'Attempt', value: String(attempt) },
  ];
  return factDetail(`${entry.method} ${path(entry.url)}`, facts, (width) => [
    [],
    heading('As a command'),
    ...paragraph(clean(curlOf(entry)), width),
  ]);
}

export const RequestsScreen = listScreen({
  place: 'requests',
  useSource: useRequests,
  columns: () => COLUMNS,
  facets: () => FACETS,
  detail: requestDetail,
  chips({ source: { rows } }) {
    const latency = latencyMs(rows.toReversed());
    return latency === undefined ? [] : [{ text: `${Math.round(latency)} ms typical`, tone: 'muted' }];
  },
  commands: ({ selected, total }, { copy, say, source: { clear } }) => ({
    clear: total === 0 ? undefined : clear,
    copyCurl:
      selected === undefined
        ? undefined
        : () => {
            copy(curlOf(selected));
            say({ tone: 'good', text: 'Copied the curl command; it takes the token from QUARTERDECK_TOKEN.' });
          },
  }),
  empty: () => ({ title: 'No requests yet.' }),
});
