// Columns, facets and details of the sources of error logs. Pure.

import { hasData, type Query } from '@quarterdeck/views/reads';
import { rateText, type SourceRead, type SourceRow } from '@quarterdeck/views/sources';
import { clean, count, fullTime, grouped, shortTime } from '@quarterdeck/views/text';
import { sparkline } from '../../components/charts/sparkline.ts';
import type { Column } from '../../components/list/column.ts';
import { factLines, paragraph, queryLines } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import type { Glyphs } from '../../theme/glyphs.ts';
import type { Line } from '../../theme/lines.ts';
import { textColumn, widest } from '../list/columns.ts';
import { timeAgo } from '../list/moments.ts';
import { ledgerLines } from './ledger-view.ts';

const NODE_TYPES = ['global', 'admin site', 'log server'];

const agentText = ({ agent_id: id }: SourceRow): string => (id === 0 ? '' : `agent ${id}`);

/** Width of the chart of the last hour, columns: three minutes each. */
const SPARK = 20;

export function sourceColumns(rows: readonly SourceRow[], nowMs: number, glyphs: Glyphs): Column<SourceRow>[] {
  return [
    textColumn('name', 'Source', rows, ({ title }) => title, {
      widths: [8, 20, 40],
      grow: 2,
      pinned: true,
      searched: true,
      tone: 'strong',
    }),
    {
      id: 'rate',
      title: 'Now',
      width: 9,
      align: 'right',
      cell: (row) => ({ text: rateText(row) }),
      value: ({ rate }) => -rate,
      text: (row) => rateText(row),
    },
    {
      id: 'hour',
      title: 'Last hour',
      width: SPARK,
      drop: 1,
      cell: ({ minutes }) => ({ text: sparkline(minutes, SPARK, glyphs.spark), tone: 'accent' }),
      value: ({ lines }) => -lines,
      text: ({ lines }) => String(lines),
    },
    {
      id: 'lines',
      title: 'Lines/hour',
      width: 10,
      align: 'right',
      drop: 3,
      cell: ({ lines }) => ({ text: count(lines), tone: lines === 0 ? 'faint' : 'plain' }),
      value: ({ lines }) => -lines,
      text: ({ lines }) => String(lines),
    },
    {
      id: 'lost',
      title: 'Lost',
      width: 6,
      align: 'right',
      cell: ({ lost }) => ({ text: lost === 0 ? '' : count(lost), tone: 'warning' }),
      value: ({ lost }) => -lost,
      text: ({ lost }) => String(lost),
    },
    {
      id: 'last',
      title: 'Last line',
      width: 12,
      cell: ({ last }) => ({
        text: last === null ? 'over 1h ago' : shortTime(last, nowMs),
        tone: last === null ? 'faint' : 'muted',
      }),
      value: ({ last }) => -(last ?? 0),
      text: ({ last }) => (last === null ? '' : fullTime(last * 1000)),
    },
    {
      id: 'groups',
      title: 'Groups',
      width: 7,
      align: 'right',
      drop: 2,
      cell: ({ groups }) => ({ text: count(groups) }),
      value: ({ groups }) => -groups,
      text: ({ groups }) => String(groups),
    },
    textColumn('address', 'Address', rows, ({ address }) => address, {
      widths: [7, 15, 40],
      grow: 1,
      drop: 4,
      searched: true,
      tone: 'muted',
    }),
    {
      id: 'agent',
      title: 'Agent',
      width: widest(rows, agentText, 6, 14),
      drop: 5,
      cell: (row) => ({ text: agentText(row), tone: 'muted' }),
      value: ({ agent_id: id }) => id,
    },
  ];
}

export const SOURCE_FACETS: readonly Facet<SourceRow>[] = [
  { id: 'sends', title: 'Last hour', value: ({ lines }) => (lines > 0 ? 'sent lines' : 'silent') },
  { id: 'complete', title: 'Lines', value: ({ lost }) => (lost > 0 ? 'some lost' : 'none lost') },
  { id: 'by', title: 'Sender', value: ({ agent_id: id }) => (id === 0 ? 'no agent' : 'agent') },
];

const servicesText = ({ services }: SourceRead): string =>
  services.map(({ service, count: n }) => `${clean(service)} (${grouped(n)})`).join(', ');

const newestText = ({ newest }: SourceRead, nowMs: number): string =>
  newest === undefined ? 'no line is stored' : timeAgo(newest.time, nowMs);

/** The details: the source, then its ledger. */
export function sourceLines(
  source: SourceRow,
  query: Query<SourceRead>,
  glyphs: Glyphs,
  nowMs: number,
  width: number,
): Line[] {
  const { name, address, node_type: type, node_id: node, created, groups } = source;
  const read = hasData(query) ? query.data : undefined;
  const facts = factLines(
    [
      { label: 'Host', value: clean(name), tone: 'strong' },
      read === undefined || read.services.length === 0 ? null : { label: 'Services', value: servicesText(read) },
      { label: 'Address', value: clean(address) },
      { label: 'Agent', value: agentText(source) === '' ? 'none' : agentText(source) },
      read === undefined ? null : { label: 'Last line', value: newestText(read, nowMs) },
      { label: 'Since', value: fullTime(created * 1000) },
      { label: 'Groups', value: grouped(groups) },
      {
        label: 'Node',
        value: `${NODE_TYPES[type] ?? `type ${type}`}${node === null ? '' : `, node ${node}`} · source ${source.id}`,
      },
    ],
    width,
  );
  const ledger =
    read === undefined ? queryLines(query, 'Reading the ledger…', width) : ledgerLines(read, glyphs, nowMs, width);
  const newest = read?.newest === undefined ? [] : [[], ...paragraph(read.newest.log.slice(0, 1_000), width, 'muted')];
  return [...ledger, [], ...facts, ...newest];
}
