// Columns, facets and details of the changes from outside. Pure.

import type { Change } from '@quarterdeck/core';
import { hostsText, valuesText } from '@quarterdeck/views/changes';
import { clean, fullTime, grouped, plural, shortTime } from '@quarterdeck/views/text';
import type { Column } from '../../components/list/column.ts';
import { heading } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import type { Line } from '../../theme/lines.ts';
import { textColumn, wordColumn } from '../list/columns.ts';

/** Most hosts that the details name. */
const HOSTS_MAX = 40;

export function changeColumns(changes: readonly Change[], nowMs: number): Column<Change>[] {
  return [
    {
      id: 'time',
      title: 'Time',
      width: 12,
      pinned: true,
      cell: ({ time }) => ({ text: shortTime(time, nowMs), tone: 'muted' }),
      value: ({ time }) => -time,
      text: ({ time }) => fullTime(time * 1000),
    },
    textColumn('kind', 'Kind', changes, ({ kind }) => kind, { widths: [4, 10, 20], grow: 1 }),
    textColumn('name', 'Name', changes, ({ name }) => name, {
      widths: [8, 12, 32],
      grow: 3,
      searched: true,
      tone: 'strong',
    }),
    textColumn('values', 'Before → after', changes, valuesText, { widths: [8, 16, 40], grow: 3, searched: true }),
    textColumn('hosts', 'Hosts', changes, hostsText, {
      widths: [8, 12, 24],
      grow: 2,
      drop: 1,
      tone: 'muted',
      value: ({ host_count: count }) => -count,
    }),
    ...(changes.some(({ service }) => service !== '')
      ? [wordColumn('service', 'Service', changes, ({ service }) => service, { least: 7, most: 16, drop: 3 })]
      : []),
    wordColumn('author', 'Author', changes, ({ author }) => author, { least: 6, most: 16, drop: 2 }),
  ];
}

export const CHANGE_FACETS: readonly Facet<Change>[] = [
  { id: 'kind', title: 'Kind', value: ({ kind }) => kind },
  { id: 'name', title: 'Name', value: ({ name }) => name },
  { id: 'service', title: 'Service', value: ({ service }) => service },
  { id: 'author', title: 'Author', value: ({ author }) => author },
];

/** The hosts of a change, the unknown ones marked. */
export function changeHosts({ hosts, host_count: count, unknown_hosts: unknown }: Change): Line[] {
  if (hosts.length === 0) return [];
  const isUnknown = new Set(unknown);
  const shown = hosts.slice(0, HOSTS_MAX);
  const more = count - shown.length;
  return [
    [],
    heading(plural(count, 'host')),
    ...shown.map((host): Line => {
      const text = clean(host);
      if (!isUnknown.has(host)) return [{ text: '● ', tone: 'good' }, { text }];
      return [{ text: '○ ', tone: 'muted' }, { text }, { text: '  not known: no agent and no source', tone: 'muted' }];
    }),
    ...(more > 0 ? [[{ text: `and ${grouped(more)} more`, tone: 'muted' as const }]] : []),
  ];
}
