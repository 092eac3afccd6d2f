// The screen of the sources of error logs, with the ledger of each.

import { useSourceRead, useSources } from '@quarterdeck/views/react';
import type { SourceRow } from '@quarterdeck/views/sources';
import { clean, grouped } from '@quarterdeck/views/text';
import { listScreen } from '../list/list-screen.tsx';
import { SOURCE_FACETS, sourceColumns, sourceLines } from './sources-view.ts';

export const SourcesScreen = listScreen({
  place: 'sources',
  useSource: useSources,
  useRow: (source: SourceRow | undefined, active) => useSourceRead(source?.id, active),
  clockMs: 10_000,
  drills: true,
  columns: (rows, nowMs, _, glyphs) => sourceColumns(rows, nowMs, glyphs),
  facets: () => SOURCE_FACETS,
  detail: (source, { nowMs, glyphs }, read) => ({
    title: clean(source.title),
    lines: (width) => sourceLines(source, read, glyphs, nowMs, width),
  }),
  chips: ({ source: { rows, total, isWhole } }) => [
    ...(total > rows.length
      ? [{ text: `newest ${grouped(rows.length)} of ${grouped(total)}`, tone: 'muted' as const }]
      : []),
    ...(isWhole ? [] : [{ text: 'lines of the last hour are not counted in full', tone: 'warning' as const }]),
  ],
  commands({ selected }, { go }) {
    if (selected === undefined) return {};
    return {
      errors: () => go({ screen: 'errlog', args: { src: String(selected.id) } }),
      lines: () => go({ screen: 'lines', text: `src:${selected.id}` }),
      agents:
        selected.agent_id === 0
          ? undefined
          : () => go({ screen: 'agents', args: { id: String(selected.agent_id), host: selected.name } }),
    };
  },
  empty: () => ({
    reading: 'Reading the sources…',
    title: 'No sources.',
    lines: ['A source appears here as soon as it sends a line.'],
  }),
});
