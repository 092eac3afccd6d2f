// What this dashboard asked the server, and how long it took. No credential and no body is known here.
import { type ReactElement, use, useMemo, useSyncExternalStore } from 'react';
import type { Column } from '../../components/list/column.ts';
import { factLines, heading, paragraph } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import { ListScreen } from '../../components/list/list-screen.tsx';
import { timeColumn } from '../../components/list/time-column.ts';
import { Notice } from '../../components/notice.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import { failureOf } from '../../data/failure.ts';
import { curlOf, latencyMs, type RequestEntry } from '../../data/requests.ts';
import { ShellContext } from '../../shell.ts';
import { clean } from '../../text/clean.ts';
import type { BaseTone } from '../../theme.ts';

const path = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

function outcome({ status, aborted, error }: RequestEntry): { text: string; tone: BaseTone } {
  if (aborted === true) return { text: '– called off', tone: 'faint' };
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

/** The screen. */
export function RequestsScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { requests } = use(ShellContext);
  const { copy, say } = useDashboard();
  const entries = useSyncExternalStore(requests.subscribe, requests.entries);
  const rows = useMemo(() => entries.toReversed(), [entries]);
  const latency = latencyMs(entries);
  return (
    <ListScreen
      place="requests"
      visible={visible}
      rows={rows}
      columns={COLUMNS}
      facets={FACETS}
      detail={(entry) => ({
        title: `${entry.method} ${path(entry.url)}`,
        lines: (width) => [
          ...factLines(
            [
              { label: 'Result', value: outcome(entry).text, tone: outcome(entry).tone },
              ...(entry.error === undefined ? [] : [{ label: 'Why', value: failureOf(entry.error).message }]),
              { label: 'Took', value: `${entry.durationMs.toFixed(1)} ms` },
              { label: 'Attempt', value: String(entry.attempt) },
            ],
            width,
          ),
          [],
          heading('As a command'),
          ...paragraph(clean(curlOf(entry)), width),
        ],
      })}
      chips={latency === undefined ? [] : [{ text: `${Math.round(latency)} ms typical`, tone: 'muted' }]}
      commands={({ selected }) => ({
        clear: rows.length === 0 ? undefined : () => requests.clear(),
        copyCurl:
          selected === undefined
            ? undefined
            : () => {
                copy(curlOf(selected));
                say({ tone: 'good', text: 'Copied the curl command; it takes the token from QUARTERDECK_TOKEN.' });
              },
      })}
      empty={(width, height) => <Notice title="Nothing was asked yet." width={width} height={height} />}
    />
  );
}
