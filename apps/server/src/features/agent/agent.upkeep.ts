// What time does to agents that are away: inactive after two weeks, purged thirty days after they were deleted; and a
// clone that is not heard of any more is over.
import { statement, type Tx } from '@quarterdeck/core/db';
import type { Deps } from '../../deps.ts';
import { tellOf } from './agent.announce.ts';
import { endClones } from './agent.clones.ts';
import { recordHistory } from './agent.history.ts';
import { purgeable, removeForGood, removeHistory } from './agent.purge.ts';
import { INACTIVE_AFTER_MS, PURGE_AFTER_MS } from './agent.state.ts';
import type { Moment } from './listening-window.ts';

const SLICE = 250;
/** A clock that was just set may be wrong, and a purge cannot be taken back. */
const TRUSTED_AFTER_MS = 3_600_000;

const TO_INACTIVE = `UPDATE agent SET state = 'inactive', state_since_ms = state_since_ms + ${INACTIVE_AFTER_MS}
   WHERE state = 'offline' AND id IN (SELECT id FROM agent
     WHERE state = 'offline' AND NOT is_deleted AND state_since_ms <= CAST(? AS bigint) ORDER BY id LIMIT ?)
   RETURNING id, reason`;
const BECOME_INACTIVE = statement(TO_INACTIVE);

/** Makes the work of every minute. It is told to look now and then whether it should stop. */
export function agentUpkeep({ db, log, events, audit, listeningWindow }: Deps) {
  async function makeInactive(tx: Tx, moment: Moment): Promise<number> {
    const { nowMs } = moment;
    const rows = await tx.sql.all<{ id: number; reason: string }>(BECOME_INACTIVE, nowMs - INACTIVE_AFTER_MS, SLICE);
    const happenings = rows.map(({ id, reason }) => ({ agentId: id, kind: 'inactive' as const, field: reason }));
    await recordHistory(tx, happenings, nowMs);
    await tellOf(
      tx,
      events,
      'agent.changed',
      rows.map(({ id }) => id),
      moment,
    );
    return rows.length;
  }

  const purge = (id: number) =>
    db.write(async (tx) => {
      if ((await removeForGood(tx, db.dialect, [id])) === 0) return;
      await events.publish(tx, [{ type: 'agent.removed', data: { id } }]);
      await audit.record(tx, { action: 'agent.purge', actor: 'system', target: { kind: 'agent', id } });
    });

  return async (stopped: () => boolean): Promise<void> => {
    const moment = listeningWindow.moment();
    const { nowMs, sinceMs } = moment;
    while (!stopped() && (await db.write((tx) => makeInactive(tx, moment))) === SLICE);
    await db.write(async (tx) => tellOf(tx, events, 'agent.changed', await endClones(tx, nowMs), moment));
    if (nowMs - sinceMs < TRUSTED_AFTER_MS) return;
    const due = await purgeable(db.read, nowMs - PURGE_AFTER_MS, SLICE);
    for (const id of due) {
      if (stopped()) return;
      await removeHistory(db, [id], stopped);
      await purge(id);
    }
    if (due.length > 0) log.info({ agents: due.length }, 'agents deleted thirty days ago were purged');
  };
}
