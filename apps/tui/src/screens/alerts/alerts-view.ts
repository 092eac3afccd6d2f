// Columns, facets and details of the alerts. Pure.
import { type Alert, alertKind } from '@quarterdeck/core';
import type { Column } from '../../components/list/column.ts';
import { type Fact, factLines, heading } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import { clean } from '../../text/clean.ts';
import { age, fullTime, grouped, narrowTime, plural, span } from '../../text/format.ts';
import type { Line } from '../../text/lines.ts';
import { widest } from '../list/widest.ts';
import { alertState, alertTitle } from './alert-words.ts';

/** Alerts below this one that the details name. */
const UNDER_MAX = 20;
/** Longest value of a field of the details, characters. */
const VALUE_MAX = 400;

const lastedMs = ({ since, resolved }: Alert, nowMs: number): number =>
  (resolved === null ? nowMs : resolved * 1000) - since * 1000;

/** The duration of a cause; empty for a kind without an end. */
const lasted = (alert: Alert, nowMs: number): string =>
  alertKind(alert.kind).ends ? span(lastedMs(alert, nowMs)) : '';

/** The columns of the list. An alert under another one is indented. */
export function alertColumns(alerts: readonly Alert[], nowMs: number): Column<Alert>[] {
  const titleOf = (alert: Alert): string => `${alert.parent_id === null ? '' : '└ '}${alertTitle(alert)}`;
  const titles = widest(alerts, titleOf, 12, 120);
  const rules = widest(alerts, ({ rule }) => rule, 6, 40);
  return [
    {
      id: 'state',
      title: 'State',
      width: 9,
      pinned: true,
      cell: alertState,
      text: ({ state }) => state,
    },
    {
      id: 'rule',
      title: 'Rule',
      width: Math.min(rules, 14),
      grow: 1,
      max: rules,
      drop: 2,
      searched: true,
      cell: ({ rule }) => ({ text: rule, tone: 'muted' }),
    },
    {
      id: 'title',
      title: 'Title',
      // The title is worth more than the rule, which small windows drop.
      width: 32,
      grow: 6,
      max: titles,
      searched: true,
      text: alertTitle,
      cell: (alert) => ({
        text: titleOf(alert),
        tone: alert.state === 'firing' && alert.parent_id === null ? 'strong' : undefined,
      }),
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
      drop: 1,
      cell: ({ under }) => ({ text: under === 0 ? '' : grouped(under), tone: 'warning' }),
      value: ({ under }) => -under,
      number: ({ under }) => under,
    },
    {
      id: 'messages',
      title: 'Messages',
      width: 8,
      align: 'right',
      drop: 3,
      cell: ({ messages }) => ({ text: grouped(messages), tone: messages === 0 ? 'faint' : 'muted' }),
      value: ({ messages }) => -messages,
      number: ({ messages }) => messages,
    },
  ];
}

/** The facets of the list. */
export const ALERT_FACETS: readonly Facet<Alert>[] = [
  { id: 'state', title: 'State', value: ({ state }) => state },
  { id: 'rule', title: 'Rule', value: ({ rule }) => rule },
  { id: 'kind', title: 'Kind', value: ({ kind }) => kind },
];

/** Formats a field of the details: texts as they are, lists with commas, the rest as JSON. */
function valueText(value: unknown): string {
  const part = (one: unknown): string => (typeof one === 'string' ? one : (JSON.stringify(one) ?? ''));
  const text = Array.isArray(value) ? value.map(part).join(', ') : part(value);
  return clean(text.slice(0, VALUE_MAX));
}

const detailFacts = ({ detail }: Alert): Fact[] =>
  Object.entries(detail).map(([name, value]) => ({ label: clean(name), value: valueText(value) }));

function messagesText({ messages, fired, parent_id: parent }: Alert, nowMs: number): string {
  if (messages === 0 || fired === null) return parent === null ? 'none' : 'none; the alert above tells of it';
  return `${plural(messages, 'message')}, first ${fullTime(fired * 1000)} (${age(nowMs / 1000 - fired)} ago)`;
}

/** The details of an alert; `all` are the alerts of the list. */
export function alertLines(alert: Alert, all: readonly Alert[], nowMs: number, width: number): Line[] {
  const { text, tone } = alertState(alert);
  const { since, resolved, parent_id: parent } = alert;
  const above = all.find(({ id }) => id === parent);
  const under = all.filter(({ parent_id: id }) => id === alert.id);
  const shown = under.slice(0, UNDER_MAX);
  const more = alert.under - shown.length;
  const fields = detailFacts(alert);
  return [
    ...factLines(
      [
        { label: 'State', value: text, tone },
        { label: 'Title', value: alertTitle(alert), tone: 'strong' },
        { label: 'Rule', value: `${clean(alert.rule)} (${alert.kind})` },
        { label: 'Cause', value: clean(alert.cause) },
        { label: 'Since', value: `${fullTime(since * 1000)} (${age(nowMs / 1000 - since)} ago)` },
        ...(alertKind(alert.kind).ends
          ? [
              { label: 'Ended', value: resolved === null ? 'not yet' : fullTime(resolved * 1000) },
              { label: 'Lasted', value: lasted(alert, nowMs) },
            ]
          : []),
        { label: 'Messages', value: messagesText(alert, nowMs) },
        ...(above === undefined ? [] : [{ label: 'Hangs under', value: alertTitle(above) }]),
        { label: 'Id', value: String(alert.id) },
      ],
      width,
    ),
    ...(fields.length === 0 ? [] : [[], heading('Details'), ...factLines(fields, width)]),
    ...(alert.under === 0
      ? []
      : [
          [],
          heading(`Under it: ${plural(alert.under, 'alert')}`),
          ...shown.map((one): Line => {
            const state = alertState(one);
            return [{ text: `${state.text.slice(0, 1)} `, tone: state.tone }, { text: alertTitle(one) }];
          }),
          ...(more > 0 ? [[{ text: `and ${grouped(more)} more`, tone: 'muted' as const }]] : []),
        ]),
  ];
}
