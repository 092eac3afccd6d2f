// Reads the deliveries of a channel.
import { DELIVERY_PAGE_MAX, type WebhookDelivery } from '@quarterdeck/core';
import { useQuery, useRows, useViews } from '@quarterdeck/views/react';
import { hasData, type Query, type ReadRange } from '@quarterdeck/views/reads';
import { useCallback } from 'react';

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
