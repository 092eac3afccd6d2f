// The screen of the channels: where messages go.

import type { Webhook } from '@quarterdeck/core';
import { useRows } from '@quarterdeck/views/react';
import type { ReadRange, Rows } from '@quarterdeck/views/reads';
import { factDetail } from '../../components/list/detail-lines.ts';
import { pressTo } from '../../keys/key-hints.ts';
import { listScreen } from '../list/list-screen.tsx';
import { createDialog, editDialog, removeDialog, rotateDialog, toggleDialog } from './webhook-dialogs.ts';
import { WEBHOOK_FACETS, webhookColumns, webhookFacts, webhookName } from './webhooks-view.ts';

/** Interval of reading again, because no event reports deliveries, milliseconds. */
const EVERY_MS = 10_000;

const list: ReadRange<Webhook> = (client, query, signal) => client.webhook.list({ query }, { signal });

const useWebhooks = (active: boolean): Rows<Webhook> => useRows(list, active, { everyMs: EVERY_MS });

/** Kinds that sign their messages. */
const isSigned = ({ kind }: Webhook): boolean => kind === 'standard';

export const WebhooksScreen = listScreen({
  place: 'webhooks',
  useSource: useWebhooks,
  clockMs: 10_000,
  columns: webhookColumns,
  facets: () => WEBHOOK_FACETS,
  drills: true,
  detail: (webhook, { nowMs }) => factDetail(webhookName(webhook), webhookFacts(webhook, nowMs)),
  commands({ selected, chosen }, context) {
    const { open, go, run, client } = context;
    const create = () => open(createDialog(context));
    if (selected === undefined) return { create };
    return {
      create,
      deliveries: () => go({ screen: 'deliveries', args: { channel: String(selected.id) } }),
      edit: () => open(editDialog(selected, context)),
      rotate: isSigned(selected)
        ? () => open(rotateDialog(selected, context))
        : 'Only channels of the kind standard have a secret.',
      test: () =>
        run(async () => {
          await client.webhook.test({ params: { id: selected.id } });
          return `Queued a test message to ${webhookName(selected)}.`;
        }),
      // The state of the first one decides for all of them.
      toggle: () => open(toggleDialog(chosen, chosen[0]?.enabled === false, context)),
      remove: () => open(removeDialog(chosen, context)),
    };
  },
  empty: ({ keyOf }) => ({
    reading: 'Reading the channels…',
    title: 'No channels: alerts are sent to no one.',
    lines: [
      'A channel sends messages to a webhook, a chat, a phone, a service for people on call, or by e-mail.',
      ...pressTo(keyOf('webhooks.create'), 'create one'),
    ],
  }),
});
