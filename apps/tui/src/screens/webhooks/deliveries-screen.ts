// The screen of the deliveries of one channel.
import { DELIVERY_PAGE_MAX, type WebhookDelivery } from '@quarterdeck/core';
import { isId } from '@quarterdeck/views/filters';
import { confirmEach, type QuestionContext } from '@quarterdeck/views/questions';
import { useQuery, useRows, useViews } from '@quarterdeck/views/react';
import { hasData, type Query, type ReadRange } from '@quarterdeck/views/reads';
import { useCallback, useState } from 'react';
import { useDashboard } from '../../context/dashboard.ts';
import type { ConfirmDialog } from '../../context/dialog.ts';
import { pressTo } from '../../keys/key-hints.ts';
import { listScreen } from '../list/list-screen.tsx';
import { DELIVERY_FACETS, deliveryColumns, deliveryDetail, deliveryTitle } from './deliveries-view.ts';
import { webhookName } from './webhooks-view.ts';

/** Intervals of reading again, because no event reports deliveries, milliseconds. */
const EVERY_MS = 10_000;
const DELIVERIES_EVERY_MS = 3_000;

/** Deliveries of the first read. */
const FIRST = 200;

/** A delivery, and the channel that it is of. */
interface DeliveryRow extends WebhookDelivery {
  readonly channel: number;
}

const NONE: readonly DeliveryRow[] = [];
const LOADING: Query<never> = { status: 'loading' };

/** Reads the deliveries of a channel while `active`, newest first, and the channel. */
export function useDeliveries(channel: number | undefined, active: boolean) {
  const { client, online } = useViews();
  const isActive = active && channel !== undefined;
  const readRows = useCallback<ReadRange<DeliveryRow>>(
    async (_, { start: first, end }, signal) => {
      const id = channel ?? 0;
      const rows: DeliveryRow[] = [];
      // The pages of this list are small, because its rows are large.
      for (let start = first; ; start += DELIVERY_PAGE_MAX) {
        const query = { start, end: Math.min(end, start + DELIVERY_PAGE_MAX) };
        const { data, meta } = await client.webhook.deliveries({ params: { id }, query }, { signal });
        rows.push(...data.map((delivery) => ({ ...delivery, channel: id })));
        if (query.end >= Math.min(end, meta.count)) return { data: rows, meta };
      }
    },
    [client, channel],
  );
  const get = useCallback(
    (signal: AbortSignal) => client.webhook.get({ params: { id: channel ?? 0 } }, { signal }),
    [client, channel],
  );
  const loaded = useRows(readRows, isActive, { everyMs: DELIVERIES_EVERY_MS, first: FIRST });
  const { query } = useQuery(get, { enabled: online && isActive, everyMs: EVERY_MS });
  const webhook = hasData(query) && query.data.id === channel ? query.data : undefined;
  const { rows, partial, refresh } = loaded;
  const rest = { refresh, webhook };
  if (channel === undefined) return { rows: NONE, webhook };
  // The rows of another channel stay until the first answer about this one.
  const isOther = rows[0] !== undefined && rows[0].channel !== channel;
  return isOther ? { ...rest, rows: NONE, query: LOADING } : { ...rest, rows, partial, query: loaded.query };
}

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
