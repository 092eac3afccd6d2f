// Columns and details of the outages. Pure.

import type { Outage } from '@quarterdeck/core';
import { clean, fullTime, grouped, shortTime, span } from '@quarterdeck/views/text';
import { stackedBar } from '../../components/charts/bars.ts';
import type { Column } from '../../components/list/column.ts';
import { type Detail, type Facts, factDetail, heading } from '../../components/list/detail-lines.ts';
import type { Line } from '../../theme/lines.ts';
import type { BaseTone } from '../../theme/theme.ts';
import { countColumn } from '../list/columns.ts';
import { timeAgo } from '../list/moments.ts';

/** Agents of an outage that are still away. */
const stillAway = ({ lost, returned }: Outage): number => Math.max(0, lost - returned);

const stateCell = ({ ended }: Outage): { text: string; tone: BaseTone } =>
  ended === null ? { text: '▲ ongoing', tone: 'warning' } : { text: '✓ ended', tone: 'good' };

const lastedMs = ({ started, ended }: Outage, nowMs: number): number =>
  (ended === null ? nowMs : ended * 1000) - started * 1000;

const names = ({ sample }: Outage): string => sample.map(({ hostname }) => clean(hostname)).join(', ');

export const outageTitle = ({ started }: Outage): string => `Outage of ${fullTime(started * 1000)}`;

const backText = ({ lost, returned }: Outage): string => {
  if (returned === 0) return 'none are back yet';
  return returned >= lost ? 'all are back' : `${grouped(returned)} ${returned === 1 ? 'is' : 'are'} back`;
};

export function outageColumns(_: readonly Outage[], nowMs: number): Column<Outage>[] {
  return [
    { id: 'state', title: 'State', width: 10, pinned: true, cell: stateCell },
    {
      id: 'started',
      title: 'Began',
      width: 12,
      cell: ({ started }) => ({ text: shortTime(started, nowMs) }),
      value: ({ started }) => -started,
      moment: ({ started }) => started,
      text: ({ started }) => fullTime(started * 1000),
    },
    {
      id: 'lasted',
      title: 'Lasted',
      width: 7,
      align: 'right',
      cell: (outage) => ({ text: span(lastedMs(outage, nowMs)) }),
      value: (outage) => -lastedMs(outage, nowMs),
      number: (outage) => lastedMs(outage, nowMs) / 1000,
    },
    countColumn('lost', 'Went silent', 11, ({ lost }) => lost, { tone: 'plain' }),
    countColumn('away', 'Still away', 10, stillAway, { tone: 'bad' }),
    {
      id: 'sample',
      title: 'Hosts away',
      width: 16,
      grow: 1,
      drop: 1,
      searched: true,
      cell: (outage) => ({ text: names(outage), tone: 'muted' }),
    },
  ];
}

export function outageDetail(outage: Outage, nowMs: number): Detail {
  const { started, ended, lost, returned, sample } = outage;
  const { text, tone } = stateCell(outage);
  const facts: Facts = [
    { label: 'State', value: text, tone },
    { label: 'Began', value: timeAgo(started, nowMs) },
    { label: 'Ended', value: ended === null ? 'not yet' : fullTime(ended * 1000) },
    { label: 'Lasted', value: span(lastedMs(outage, nowMs)) },
    { label: 'Went silent', value: `${grouped(lost)}, ${backText(outage)}` },
  ];
  return factDetail(outageTitle(outage), facts, (width) => [
    [],
    stackedBar(
      [
        { value: returned, tone: 'good' },
        { value: stillAway(outage), tone: 'bad' },
      ],
      Math.min(40, width),
    ),
    ...(sample.length === 0
      ? []
      : [
          [],
          heading('Some hosts still away'),
          ...sample.map(({ hostname }): Line => [{ text: '○ ', tone: 'bad' }, { text: clean(hostname) }]),
        ]),
  ]);
}
