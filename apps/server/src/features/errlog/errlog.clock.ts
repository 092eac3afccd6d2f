// Moves groups from state to state by the clock: new ones become ongoing after a day, and mutes end.
import { unixSeconds } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { errlogStore, type TimedState } from '@quarterdeck/store';
import type { EventBus } from '../event/event.bus.ts';
import { announceChange } from './errlog.announcer.ts';

/** Seconds for which a group is new. */
export const NEW_FOR_S = 86_400;
const SLICE = 500;

/** Moves all groups that are due. `now` is in Unix milliseconds. */
export async function moveByClock(
  db: Database,
  events: EventBus,
  now: () => number,
  stopped: () => boolean,
): Promise<void> {
  const nowS = unixSeconds(now());
  const store = errlogStore(db);
  const moveSlice = (from: TimedState, untilS: number) =>
    db.write(async (tx) => {
      await store.lock(tx);
      const ids = await store.dueGroups(tx, from, untilS, SLICE);
      if (ids.length === 0) return 0;
      await store.change(tx, ids, { state: 'ongoing' }, nowS);
      if (from === 'muted') await announceChange(tx, events, store, ids);
      return ids.length;
    });
  const move = async (from: TimedState, untilS: number) => {
    while (!stopped() && (await moveSlice(from, untilS)) === SLICE);
  };
  await move('new', nowS - NEW_FOR_S);
  await move('muted', nowS);
}
