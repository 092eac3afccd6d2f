// Announces changed groups.
import type { Tx } from '@quarterdeck/core/db';
import type { ErrlogReads } from '../../errlog-store/errlog-store.ts';
import type { EventBus } from '../event/event.bus.ts';

/** A change of more groups is one `resync`. */
const ANNOUNCED_MAX = 100;

/** Tells subscribers of groups that were changed in this write. */
export async function announceChange(
  tx: Tx,
  events: EventBus,
  store: Pick<ErrlogReads, 'groupsById'>,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  if (ids.length > ANNOUNCED_MAX) {
    await events.publish(tx, [{ type: 'resync', data: { reason: 'changed', of: 'errlog' } }]);
    return;
  }
  const entries = await store.groupsById(ids, tx);
  await events.publish(
    tx,
    entries.map((data) => ({ type: 'errlog.changed', data })),
  );
}
