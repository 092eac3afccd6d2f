// Columns, facets and details of the channels. Pure.

import type { Webhook } from '@quarterdeck/core';
import { age, clean, fullTime, grouped, plural } from '@quarterdeck/views/text';
import type { Column } from '../../components/list/column.ts';
import type { Facts } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import type { BaseTone } from '../../theme/theme.ts';
import { countColumn, enabledCell, textColumn } from '../list/columns.ts';

/** The cleaned name of a channel. */
export const webhookName = ({ name }: Pick<Webhook, 'name'>): string => clean(name) || '(no name)';

/** The address of a channel without its scheme, or its recipients. */
const placeText = ({ url, to }: Pick<Webhook, 'url' | 'to'>): string =>
  clean(url === null ? to.join(', ') : url.replace(/^https:\/\//, ''));

/** True where the server disabled the channel because its receiver answered 410. */
const isGone = ({ enabled, gone_since: since }: Webhook): boolean => !enabled && since !== null;

function stateCell(webhook: Webhook): { readonly text: string; readonly tone: BaseTone } {
  if (isGone(webhook)) return { text: '✖ gone', tone: 'bad' };
  if (!webhook.enabled) return enabledCell(webhook);
  return webhook.failing_since === null ? { text: '● works', tone: 'good' } : { text: '✖ failing', tone: 'bad' };
}

const failingText = ({ failing_since: since }: Webhook, nowMs: number): string =>
  since === null ? '' : `${age(nowMs / 1000 - since)} ago`;

export function webhookColumns(webhooks: readonly Webhook[], nowMs: number): Column<Webhook>[] {
  return [
    { id: 'state', title: 'State', width: 10, pinned: true, cell: stateCell },
    textColumn('name', 'Name', webhooks, webhookName, {
      widths: [8, 14, 40],
      grow: 2,
      pinned: true,
      searched: true,
      tone: 'strong',
    }),
    { id: 'kind', title: 'Kind', width: 12, drop: 2, cell: ({ kind }) => ({ text: kind }) },
    textColumn('place', 'Where to', webhooks, placeText, {
      widths: [10, 12, 100],
      width: 12,
      grow: 4,
      searched: true,
      tone: 'muted',
    }),
    countColumn('waiting', 'Waiting', 7, ({ waiting }) => waiting, { tone: 'warning' }),
    countColumn('dead', 'Dead', 7, ({ dead }) => dead, { tone: 'bad' }),
    {
      id: 'failing',
      title: 'Fails since',
      width: 11,
      drop: 1,
      cell: (webhook) => ({ text: failingText(webhook, nowMs), tone: 'bad' }),
      value: ({ failing_since: since }) => since ?? Number.MAX_SAFE_INTEGER,
      moment: ({ failing_since: since }) => since ?? 0,
    },
    {
      id: 'rules',
      title: 'Rules',
      width: 5,
      align: 'right',
      drop: 3,
      cell: ({ rules }) => ({ text: grouped(rules), tone: 'muted' }),
      value: ({ rules }) => -rules,
      number: ({ rules }) => rules,
    },
  ];
}

export const WEBHOOK_FACETS: readonly Facet<Webhook>[] = [
  { id: 'kind', title: 'Kind', value: ({ kind }) => kind },
  { id: 'state', title: 'State', value: (webhook) => stateCell(webhook).text.slice(2) },
];

export function webhookFacts(webhook: Webhook, nowMs: number): Facts {
  const {
    url,
    to,
    types,
    filter,
    waiting,
    dead,
    rules,
    failing_since: since,
    gone_since: goneSince,
    created,
    created_by: by,
  } = webhook;
  const { text, tone } = stateCell(webhook);
  return [
    { label: 'State', value: text, tone },
    { label: 'Name', value: webhookName(webhook), tone: 'strong' },
    { label: 'Kind', value: webhook.kind },
    { label: 'Where to', value: clean(url ?? to.join(', ')) },
    { label: 'Rules', value: rules === 0 ? 'none' : plural(rules, 'rule') },
    { label: 'Events', value: clean(types.join(', ')) || 'none' },
    webhook.withheld.length === 0
      ? null
      : {
          label: 'Not sent',
          value: `${clean(webhook.withheld.join(', '))}: who chose them has lost the right. Save it to go on.`,
          tone: 'bad',
        },
    filter === '' ? null : { label: 'Only', value: clean(filter) },
    webhook.chat === null ? null : { label: 'Chat', value: clean(webhook.chat) },
    webhook.secrets.length === 0 ? null : { label: 'Secrets', value: `${webhook.secrets.join(', ')} (not shown)` },
    webhook.prefix === '' ? null : { label: 'Prefix', value: clean(webhook.prefix) },
    webhook.parts.length === 0 ? null : { label: 'Parts', value: webhook.parts.join(', ') },
    { label: 'Waiting', value: grouped(waiting), tone: waiting > 0 ? 'warning' : undefined },
    { label: 'Dead', value: grouped(dead), tone: dead > 0 ? 'bad' : undefined },
    {
      label: 'Fails since',
      value: since === null ? 'it works' : `${fullTime(since * 1000)} (${failingText(webhook, nowMs)})`,
      tone: since === null ? undefined : 'bad',
    },
    isGone(webhook)
      ? {
          label: 'Gone since',
          value: `${fullTime((goneSince ?? 0) * 1000)}: its receiver answered 410. Edit the address, then enable it.`,
          tone: 'bad',
        }
      : null,
    { label: 'Created', value: `${fullTime(created * 1000)} by ${clean(by)}` },
    { label: 'Changed', value: fullTime(webhook.modified * 1000) },
    { label: 'Id', value: String(webhook.id) },
  ];
}
