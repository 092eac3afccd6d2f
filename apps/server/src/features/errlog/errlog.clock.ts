// What the clock does to groups: new ones become ongoing after a day, and mutes end.
import { unixSeconds } from '@quarterdeck/core';
import { type Database, type Statement, statement } from '@quarterdeck/core/db';
import { lockGroups } from '../../errlog-store/write/batch.ts';
import type { EventBus } from '../event/event.bus.ts';
import { announceChange, changeGroups } from './errlog.change.ts';

/** Seconds for which a group is new. */
export const NEW_FOR_S = 86_400;
const SLICE = 500;

const GROWN = statement("SELECT id FROM errlog WHERE state = 'new' AND state_since <= ? ORDER BY state_since LIMIT ?");
const UNMUTED = statement('SELECT id FROM errlog WHERE until_time > 0 AND until_time <= ? ORDER BY until_time LIMIT ?');

/** Moves the groups whose time has come. `now` is in Unix milliseconds. */
export async function moveByClock(
  db: Database,
  events: EventBus,
  now: () => number,
  stopped: () => boolean,
): Promise<void> {
  const nowS = unixSeconds(now());
  const move = async (due: Statement, untilS: number, tell: boolean) => {
    for (let n = SLICE; n === SLICE && !stopped(); ) {
      n = await db.write(async (tx) => {
        // Before it is read which they are: somebody else may be changing them.
        await lockGroups(tx, db.dialect);
        const ids = (await tx.sql.all<{ id: number }>(due, untilS, SLICE)).map(({ id }) => id);
        if (ids.length === 0) return 0;
        await changeGroups(tx, db.dialect, ids, { state: 'ongoing' }, nowS);
        if (tell) await announceChange(tx, events, ids);
        return ids.length;
      });
    }
  };
  await move(GROWN, nowS - NEW_FOR_S, false);
  await move(UNMUTED, nowS, true);
}
