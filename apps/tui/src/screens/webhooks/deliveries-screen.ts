// The screen of the deliveries of one channel.
import type { WebhookDelivery } from '@quarterdeck/core';
import { isId } from '@quarterdeck/views/filters';
import { confirmEach, type QuestionContext } from '@quarterdeck/views/questions';
import { useState } from 'react';
import { useDashboard } from '../../context/dashboard.ts';
import type { ConfirmDialog } from '../../context/dialog.ts';
import { pressTo } from '../../keys/key-hints.ts';
import { listScreen } from '../list/list-screen.tsx';
import { DELIVERY_FACETS, deliveryColumns, deliveryDetail, deliveryTitle } from './deliveries-view.ts';
import { useDeliveries } from './use-deliveries.ts';
import { webhookName } from './webhooks-view.ts';

/** Reads the deliveries of the channel that the last visit named. */
function useChosenChannel(active: boolean) {
  const { target } = useDashboard().navigation;
  const [channel, setChannel] = useState<number>();
  const asked = target.screen === 'deliveries' ? (target.args?.['channel'] ?? '') : '';
  const wanted = isId(asked) ? Number(asked) : channel;
  if (wanted !== channel) setChannel(wanted);
  return useDeliveries(channel, active);
}

const redeliverDialog = (deliveries: readonly WebhookDelivery[], context: QuestionContext): ConfirmDialog => ({
  ...confirmEach(
    deliveries,
    { verb: 'Send again', done: 'Queued', noun: 'message', name: deliveryTitle },
    context,
    ({ id }) => context.client.webhook.redeliver({ params: { id } }),
  ),
  title: deliveries.length === 1 ? 'Send this message again?' : `Send ${deliveries.length} messages again?`,
  lines: [...deliveries.map(deliveryTitle), 'It keeps its message id: receivers drop what they have.'],
  yes: 'Send again',
  typed: undefined,
});

export const DeliveriesScreen = listScreen({
  place: 'deliveries',
  useSource: useChosenChannel,
  sourceArguments: ['channel'],
  clockMs: 1000,
  columns: deliveryColumns,
  facets: () => DELIVERY_FACETS,
  detail: (delivery, { nowMs }) => deliveryDetail(delivery, nowMs),
  chips: ({ source: { webhook } }) =>
    webhook === undefined
      ? []
      : [{ text: webhookName(webhook), tone: webhook.failing_since === null ? 'accent' : 'bad' }],
  commands({ selected, chosen }, context) {
    if (selected === undefined) return {};
    const ended = chosen.filter(({ state }) => state !== 'waiting');
    return {
      redeliver:
        ended.length === 0
          ? 'It is waiting already; V on its channel tries all that wait.'
          : () => context.open(redeliverDialog(ended, context)),
    };
  },
  empty: ({ source: { query }, keyOf }) =>
    query === undefined
      ? {
          title: 'No channel is chosen.',
          lines: pressTo(keyOf('app.goWebhooks'), 'list the channels; Enter shows the deliveries of one'),
        }
      : { reading: 'Reading the deliveries…', title: 'No deliveries of this channel.' },
});
