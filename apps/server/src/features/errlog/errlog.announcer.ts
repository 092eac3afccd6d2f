// Announces stored groups to subscribers, a moment later: a group repeated a thousand times within that moment is one
// event, and a burst of many groups is one `resync`. Announcing never slows the intake (decision 065).
import type { ErrlogEntry, EventType } from '@quarterdeck/core';
import type { Database, Tx } from '@quarterdeck/core/db';
import { countErasures, holdErasures } from '@quarterdeck/core/sql';
import { type ErrlogReads, errlogStore, type StoredBatch } from '@quarterdeck/store';
import type { Logger } from 'pino';
import type { EventBus } from '../event/event.bus.ts';
import { announcedGroup, groupsAfter, newestGroup, storeAnnounced } from './announced.repo.ts';
import { ANNOUNCED_MAX } from './intake/announced-max.ts';

/** Time in which groups are gathered for an announcement. */
const GATHER_MS = 10;
/** Shortest time between two announcements ... */
const PAUSE_MS = 50;
/** ... which grows with the events of the first one, so that the ring holds at least 20 s of a flood. */
const PAUSE_MS_PER_EVENT = 2;
/**
 * Time in which commits are gathered for a signal: rules of alerts, also those of other servers, look at stored lines
 * before these are announced.
 */
const SIGNAL_MS = 20;
/** Shortest time between two such signals. */
const SIGNAL_PAUSE_MS = 100;
/** Stands for more groups than are announced one by one. */
const BURST = { type: 'resync', data: { reason: 'burst', of: 'errlog' } } as const;

/** Collects stored batches and announces their groups. */
export interface Announcer {
  note(batch: StoredBatch): void;
  /** Notes that batches may have been stored of which nothing is known. */
  noteUnknown(): void;
  /** Announces the new groups of a server that was killed before it did so. Comes before the first line. */
  announceMissed(): Promise<void>;
  /** Announces the groups that still wait. */
  close(): Promise<void>;
}

/** Creates an announcer over a bus. */
export function createAnnouncer(db: Database, events: EventBus, log: Logger): Announcer {
  const store = errlogStore(db);
  let waiting = new Map<number, EventType>();
  let tooMany = false;
  /** Newest group that was created, 0 for none that is not announced. */
  let created = 0;
  let timer: NodeJS.Timeout | undefined;
  /** Time before which there is no further announcement, by a clock that only moves forward. */
  let notBeforeMs = 0;
  let announcing = Promise.resolve();

  let signalTimer: NodeJS.Timeout | undefined;
  let signalledMs = Number.NEGATIVE_INFINITY;

  /** Signals that lines were stored, soon. */
  function signal(): void {
    signalTimer ??= setTimeout(
      () => {
        signalTimer = undefined;
        signalledMs = performance.now();
        // The announcement signals again.
        db.write(async (tx) => tx.signal()).catch((error: unknown) => log.debug({ err: error }, 'no signal was sent'));
      },
      Math.max(SIGNAL_MS, signalledMs + SIGNAL_PAUSE_MS - performance.now()),
    );
  }

  /** Announces soon. Returns the time until then, milliseconds. */
  function schedule(): number {
    const pauseMs = Math.max(GATHER_MS, notBeforeMs - performance.now());
    timer ??= setTimeout(flush, pauseMs);
    return pauseMs;
  }

  const note = (id: number, type: EventType) => {
    if (waiting.size >= ANNOUNCED_MAX && !waiting.has(id)) tooMany = true;
    // An event other than `errlog.repeated` stays, however often the group repeats before it is announced.
    else if (type !== 'errlog.repeated' || !waiting.has(id)) waiting.set(id, type);
  };

  async function announce(): Promise<void> {
    const types = waiting;
    const burst = tooMany;
    const newest = created;
    waiting = new Map();
    tooMany = false;
    created = 0;
    try {
      const ids = burst ? [] : [...types.keys()];
      const erasures = await countErasures(db.read);
      const before = await store.groupsById(ids);
      await db.write(async (tx) => {
        const isCurrent = ids.length === 0 || (await holdErasures(tx)) === erasures;
        const entries = isCurrent ? before : await store.groupsById(ids, tx);
        const typeOf = ({ id }: ErrlogEntry) => types.get(id) ?? 'errlog.repeated';
        const list = entries.map((data) => ({ type: typeOf(data), data })).reverse();
        await events.publish(tx, burst ? [BURST] : list);
        if (newest > 0) await storeAnnounced(tx, newest);
      });
    } catch (error) {
      // The groups are stored; only their event is late. The next announcement makes up for it.
      log.warn({ err: error }, 'error-log events could not be stored');
      tooMany = true;
      created = Math.max(created, newest);
    }
  }

  const flush = () => {
    timer = undefined;
    notBeforeMs = performance.now() + Math.max(PAUSE_MS, PAUSE_MS_PER_EVENT * waiting.size);
    announcing = announcing.then(announce);
    return announcing;
  };

  return {
    note({ created: ids, repeated, regressed, unmuted }) {
      for (const id of ids) note(id, 'errlog.new');
      created = Math.max(created, ...ids);
      for (const id of repeated) note(id, 'errlog.repeated');
      for (const id of regressed) note(id, 'errlog.regressed');
      for (const id of unmuted) note(id, 'errlog.changed');
      if (waiting.size === 0 && !tooMany) return;
      if (schedule() > SIGNAL_MS) signal();
    },
    noteUnknown() {
      tooMany = true;
      schedule();
    },
    announceMissed: () =>
      db.write(async (tx) => {
        await holdErasures(tx);
        const announced = await announcedGroup(tx);
        const missed = announced === undefined ? [] : await groupsAfter(tx, announced, ANNOUNCED_MAX + 1);
        const entries = missed.length > ANNOUNCED_MAX ? [] : await store.groupsById(missed, tx);
        const list = entries.reverse().map((data) => ({ type: 'errlog.new' as const, data }));
        await events.publish(tx, missed.length > ANNOUNCED_MAX ? [BURST] : list);
        await storeAnnounced(tx, await newestGroup(tx));
      }),
    async close() {
      clearTimeout(timer);
      clearTimeout(signalTimer);
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
