// Announces stored groups to subscribers, a moment later: a group repeated a thousand times within that moment is one
// event, and a burst of many groups is one `resync`. Announcing never slows the intake.
import type { EventType } from '@quarterdeck/core';
import type { Database, Tx } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import { type ErrlogReads, errlogStore, type StoredBatch } from '../../errlog-store/errlog-store.ts';
import type { EventBus } from '../event/event.bus.ts';
import { ANNOUNCED_MAX } from './announced-max.ts';

const GATHER_MS = 200;

/** Collects stored batches and announces their groups. */
export interface Announcer {
  note(batch: StoredBatch): void;
  /** Announces the groups that still wait. */
  close(): Promise<void>;
}

/** Creates an announcer over a bus. */
export function createAnnouncer(db: Database, events: EventBus, log: Logger): Announcer {
  const store = errlogStore(db);
  let waiting = new Map<number, EventType>();
  let tooMany = false;
  let timer: NodeJS.Timeout | undefined;
  let announcing = Promise.resolve();

  const note = (id: number, type: EventType) => {
    if (waiting.size >= ANNOUNCED_MAX && !waiting.has(id)) tooMany = true;
    // An event other than `errlog.repeated` stays, however often the group repeats before it is announced.
    else if (type !== 'errlog.repeated' || !waiting.has(id)) waiting.set(id, type);
  };

  async function announce(): Promise<void> {
    const types = waiting;
    const burst = tooMany;
    waiting = new Map();
    tooMany = false;
    try {
      const entries = burst ? [] : await store.groupsById([...types.keys()]);
      const list = burst
        ? [{ type: 'resync' as const, data: { reason: 'burst', of: 'errlog' } }]
        : entries
            .reverse()
            .map((entry) => ({ type: types.get(entry.id) ?? ('errlog.repeated' as const), data: entry }));
      await db.write((tx) => events.publish(tx, list));
    } catch (error) {
      // The groups are stored; only their event is late. The next announcement makes up for it.
      log.warn({ err: error }, 'error-log events could not be stored');
      tooMany = true;
    }
  }

  const flush = () => {
    timer = undefined;
    announcing = announcing.then(announce);
    return announcing;
  };

  return {
    note({ created, repeated, regressed, unmuted }) {
      for (const id of created) note(id, 'errlog.new');
      for (const id of repeated) note(id, 'errlog.repeated');
      for (const id of regressed) note(id, 'errlog.regressed');
      for (const id of unmuted) note(id, 'errlog.changed');
      if (waiting.size > 0 || tooMany) timer ??= setTimeout(flush, GATHER_MS);
    },
    async close() {
      clearTimeout(timer);
      if (waiting.size > 0 || tooMany) await flush();
      await announcing;
    },
  };
}

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
