// Columns, facets and details of the deliveries of a channel. Pure.

import type { DeliveryState, WebhookDelivery } from '@quarterdeck/core';
import { clean, distance, grouped } from '@quarterdeck/views/text';
import type { Column } from '../../components/list/column.ts';
import { type Detail, type Facts, factDetail, heading } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import { wrap } from '../../text/width.ts';
import type { Line } from '../../theme/lines.ts';
import type { BaseTone } from '../../theme/theme.ts';
import { momentColumn, textColumn } from '../list/columns.ts';
import { timeAgo } from '../list/moments.ts';

/** Rows of a message that the details show. */
const BODY_ROWS_MAX = 400;

const STATES: Readonly<Record<DeliveryState, { readonly text: string; readonly tone: BaseTone }>> = {
  waiting: { text: '◇ waiting', tone: 'warning' },
  delivered: { text: '✓ delivered', tone: 'good' },
  dead: { text: '✖ dead', tone: 'bad' },
};

export const deliveryTitle = ({ type, message_id: id }: WebhookDelivery): string => clean(`${type} ${id}`);

/** The last answer of the receiver: what went wrong, or its status with what it said to a test. */
const answerText = ({ status, error, answer, attempts }: WebhookDelivery): string => {
  if (attempts === 0) return '';
  return clean(error || [String(status ?? 'accepted'), answer].filter((text) => text !== '').join(': '));
};

/** The last answer without the words that stand before each status. */
const shortAnswer = (delivery: WebhookDelivery): string =>
  answerText(delivery).replace(/^The receiver answers (?=\d)/, '');

const nextText = ({ next_attempt: next, state }: WebhookDelivery, nowMs: number): string => {
  if (state !== 'waiting' || next === null) return '';
  return next * 1000 <= nowMs ? 'now' : distance(next * 1000, nowMs);
};

export function deliveryColumns(deliveries: readonly WebhookDelivery[], nowMs: number): Column<WebhookDelivery>[] {
  return [
    {
      id: 'state',
      title: 'State',
      width: 11,
      pinned: true,
      cell: ({ state }) => STATES[state],
      text: ({ state }) => state,
    },
    momentColumn('created', 'Created', ({ created }) => created, nowMs, { value: ({ created }) => -created }),
    textColumn('type', 'Type', deliveries, ({ type }) => type, { widths: [8, 14, 30], grow: 1, searched: true }),
    {
      id: 'attempts',
      title: 'Attempts',
      width: 8,
      align: 'right',
      cell: ({ attempts }) => ({ text: grouped(attempts), tone: attempts > 1 ? 'warning' : 'muted' }),
      value: ({ attempts }) => -attempts,
      number: ({ attempts }) => attempts,
    },
    textColumn('answer', 'Last answer', deliveries, shortAnswer, {
      widths: [11, 24, 120],
      width: 24,
      grow: 5,
      searched: true,
      cell: (delivery) => ({ text: shortAnswer(delivery), tone: delivery.error === '' ? 'muted' : 'bad' }),
    }),
    {
      id: 'next',
      title: 'Next attempt',
      width: 13,
      drop: 1,
      cell: (delivery) => ({ text: nextText(delivery, nowMs), tone: 'muted' }),
      value: ({ next_attempt: next }) => next ?? Number.MAX_SAFE_INTEGER,
      moment: ({ next_attempt: next }) => next ?? 0,
    },
    momentColumn('last', 'Last attempt', ({ last_attempt: last }) => last ?? 0, nowMs, {
      drop: 2,
      value: ({ last_attempt: last }) => -(last ?? 0),
    }),
  ];
}

export const DELIVERY_FACETS: readonly Facet<WebhookDelivery>[] = [
  { id: 'state', title: 'State', value: ({ state }) => state },
  { id: 'type', title: 'Type', value: ({ type }) => type },
];

/** The message as indented JSON, or the permission that it needs. */
const bodyLines = ({ body, needs }: WebhookDelivery, width: number): Line[] =>
  (needs === null ? (JSON.stringify(body, null, 2) ?? '') : `To read it takes the permission ${needs}.`)
    .split('\n')
    .slice(0, BODY_ROWS_MAX)
    .flatMap((line) => wrap(clean(line), width).map((text): Line => [{ text }]));

/** The details of a delivery, with its message. */
export function deliveryDetail(delivery: WebhookDelivery, nowMs: number): Detail {
  const { state, message_id: id, type, attempts, created, last_attempt: last } = delivery;
  const { text, tone } = STATES[state];
  const facts: Facts = [
    { label: 'State', value: text, tone },
    { label: 'Type', value: clean(type) },
    { label: 'Message id', value: clean(id) },
    { label: 'Created', value: timeAgo(created, nowMs) },
    { label: 'Attempts', value: grouped(attempts) },
    { label: 'Last attempt', value: last === null ? 'none yet' : timeAgo(last, nowMs) },
    { label: 'Last answer', value: answerText(delivery), tone: delivery.error === '' ? undefined : 'bad' },
    state === 'waiting' ? { label: 'Next attempt', value: nextText(delivery, nowMs) } : null,
  ];
  return factDetail(deliveryTitle(delivery), facts, (width) => [[], heading('Message'), ...bodyLines(delivery, width)]);
}
