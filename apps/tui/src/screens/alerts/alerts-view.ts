// Columns and facets of the alerts. Pure.
import { type Alert, alertKind } from '@quarterdeck/core';
import { alertPerson, alertState, alertTitle, kindText } from '@quarterdeck/views/alerts';
import { fullTime, grouped, narrowTime, signed, span } from '@quarterdeck/views/text';
import type { Column } from '../../components/list/column.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import { countColumn, textColumn, widest } from '../list/columns.ts';

const lastedMs = ({ since, resolved }: Alert, nowMs: number): number =>
  (resolved === null ? nowMs : resolved * 1000) - since * 1000;

/** The duration of a cause; empty for a kind without an end. */
const lasted = (alert: Alert, nowMs: number): string =>
  alertKind(alert.kind).ends ? span(lastedMs(alert, nowMs)) : '';

/** The columns of the list. An alert under another one is indented. Columns that would be empty are left out. */
export function alertColumns(alerts: readonly Alert[], nowMs: number): Column<Alert>[] {
  const titleOf = (alert: Alert): string => `${alert.parent_id === null ? '' : '└ '}${alertTitle(alert)}`;
  return [
    {
      id: 'state',
      title: 'State',
      width: 9,
      pinned: true,
      cell: (alert) => signed(alertState(alert)),
      text: (alert) => alertState(alert).text,
    },
    textColumn('rule', 'Rule', alerts, ({ rule }) => rule, {
      widths: [6, 14, 40],
      grow: 1,
      drop: 3,
      searched: true,
      tone: 'muted',
    }),
    // The title is worth more than the rule, which small windows drop.
    textColumn('title', 'Title', alerts, titleOf, {
      widths: [12, 32, 120],
      width: 32,
      grow: 6,
      searched: true,
      text: alertTitle,
      cell: (alert) => ({
        text: titleOf(alert),
        tone: alert.state === 'firing' && alert.parent_id === null ? 'strong' : undefined,
      }),
    }),
    {
      id: 'who',
      title: 'Who',
      width: widest(alerts, alertPerson, 3, 12),
      drop: 1,
      ...(alerts.some((alert) => alertPerson(alert) !== '') ? {} : { optional: true as const }),
      cell: (alert) => ({ text: alertPerson(alert), tone: alert.assigned === null ? 'muted' : undefined }),
    },
    {
      id: 'since',
      title: 'Since',
      width: 8,
      cell: ({ since }) => ({ text: narrowTime(since, nowMs), tone: 'muted' }),
      value: ({ since }) => -since,
      moment: ({ since }) => since,
      text: ({ since }) => fullTime(since * 1000),
    },
    {
      id: 'lasted',
      title: 'Lasted',
      width: 6,
      align: 'right',
      cell: (alert) => ({ text: lasted(alert, nowMs) }),
      value: (alert) => -lastedMs(alert, nowMs),
      number: (alert) => lastedMs(alert, nowMs) / 1000,
    },
    {
      id: 'under',
      title: 'Under',
      width: 5,
      align: 'right',
      drop: 2,
      ...(alerts.some(({ under }) => under > 0) ? {} : { optional: true as const }),
      cell: ({ under }) => ({ text: under === 0 ? '' : grouped(under), tone: 'warning' }),
      value: ({ under }) => -under,
      number: ({ under }) => under,
    },
    countColumn('messages', 'Messages', 8, ({ messages }) => messages, { tone: 'muted', drop: 4 }),
  ];
}

export const ALERT_FACETS: readonly Facet<Alert>[] = [
  { id: 'state', title: 'State', value: ({ state }) => state },
  {
    id: 'acknowledged',
    title: 'Acknowledged',
    value: ({ acknowledged }) => (acknowledged === null ? 'no' : 'yes'),
  },
  { id: 'assigned', title: 'Assigned', value: ({ assigned }) => assigned?.username ?? 'not assigned' },
  { id: 'rule', title: 'Rule', value: ({ rule }) => rule },
  { id: 'kind', title: 'Kind', value: ({ kind }) => kindText(kind) },
];
