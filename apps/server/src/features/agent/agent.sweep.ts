// Jobs over all agents. The sweep declares silent agents lost every few seconds, one by one or as an outage. The
// upkeep runs every minute: it makes agents inactive after two weeks, ends clones, removes old vitals, and purges
// agents 30 days after their deletion.
import type { Tx } from '@quarterdeck/core/db';
import { addLost, findOpenOutages } from '../outage/outage.repo.ts';
import { followOutages, outageFor, type Silence } from '../outage/outage.service.ts';
import { createHourPacker } from '../vitals/finished-hours.ts';
import { removeOldVitals } from '../vitals/vitals.repo.ts';
import type { AgentNeeds } from './needs.ts';
import { announceAgents } from './records/agent.events.ts';
import { findPurgeable, removeAgents } from './records/agent.repo.ts';
import { PURGE_AFTER_MS } from './records/agent.status.ts';
import type { AgentJob } from './records/agent.types.ts';
import { type HistoryEntry, recordHistory, removeHistory } from './records/agent-history.repo.ts';
import {
  countLate,
  countOnline,
  declareLost,
  hasFutureReports,
  lockOverdue,
  lockSweep,
  makeInactive,
  type OverdueRow,
  resetFutureReports,
  unmarkCloned,
} from './records/agent-status.repo.ts';
import type { Moment } from './records/listening-window.ts';

/** Agents in one write, so that other writes do not wait for long. */
const SLICE = 250;
/** A clock that was just set may be wrong, and a purge is final. */
const TRUSTED_AFTER_MS = 3_600_000;

export function agentSweep(deps: AgentNeeds): AgentJob {
  const { db, events, listeningWindow } = deps;
  /** Number of agents, at the last sweep, that still have time to report after an absence of the server. */
  let waited = 0;

  /** Declares a slice of overdue agents lost. Returns their number and their outage. */
  async function loseSlice(tx: Tx, silence: Silence, moment: Moment) {
    const { nowMs } = moment;
    await lockSweep(tx);
    const rows = await lockOverdue(tx, moment, SLICE);
    const alarms = rows.filter(({ state, maintenance }) => state === 'online' && maintenance === 0);
    const lateMs = Math.min(...alarms.map((alarm) => alarm.lateMs));
    const outageId = alarms.length === 0 ? 0 : await outageFor(tx, silence, lateMs, nowMs);
    await declareLost(tx, idsOf(rows), outageId, nowMs);
    await recordHistory(tx, rows.map(lossOf), nowMs);
    if (outageId > 0) await addLost(tx, outageId, alarms.length);
    // An outage is one event, without events of its agents.
    const eventOf = ({ state, maintenance }: OverdueRow) => {
      if (maintenance === 1) return 'agent.changed';
      return state === 'online' && outageId > 0 ? undefined : 'agent.offline';
    };
    for (const type of ['agent.offline', 'agent.changed'] as const) {
      await announceAgents(tx, deps, type, idsOf(rows.filter((row) => eventOf(row) === type)));
    }
    return { count: rows.length, outageId };
  }

  return async (stopped) => {
    const moment = listeningWindow.moment();
    const { nowMs } = moment;
    while (!stopped() && (await hasFutureReports(db.read, nowMs))) {
      await db.write((tx) => resetFutureReports(tx, nowMs, SLICE));
    }

    const counts = await countLate(db.read, moment);
    if (counts.waits !== waited) {
      await db.write((tx) =>
        events.publish(tx, [{ type: 'resync', data: { reason: 'server_restarted', of: 'agent' } }]),
      );
    }
    waited = counts.waits;

    const grown = new Set<number>();
    if (counts.overdue > 0) {
      const silence = { lost: counts.lost, late: counts.late, online: await countOnline(db.read) };
      for (let count = SLICE; count === SLICE && !stopped(); ) {
        const lost = await db.write((tx) => loseSlice(tx, silence, moment));
        if (lost.outageId > 0) grown.add(lost.outageId);
        count = lost.count;
      }
    }

    if ((await findOpenOutages(db.read)).length > 0) {
      await db.write(async (tx) => {
        await lockSweep(tx);
        await followOutages(tx, events, grown, nowMs);
      });
    }
    listeningWindow.kept();
  };
}

const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);

const lossOf = ({ id, state }: OverdueRow): HistoryEntry => ({
  agentId: id,
  kind: 'offline',
  field: state === 'online' ? 'lost' : 'never_reported',
});

export function agentUpkeep(deps: AgentNeeds): AgentJob {
  const { db, log, events, audit, listeningWindow } = deps;
  const packFinishedHour = createHourPacker(db);

  async function makeSliceInactive(tx: Tx, nowMs: number): Promise<number> {
    const rows = await makeInactive(tx, nowMs, SLICE);
    const history = rows.map(({ id, reason }) => ({ agentId: id, kind: 'inactive' as const, field: reason }));
    await recordHistory(tx, history, nowMs);
    await announceAgents(tx, deps, 'agent.changed', idsOf(rows));
    return rows.length;
  }

  const purge = (id: number) =>
    db.write(async (tx) => {
      if ((await removeAgents(tx, [id])) === 0) return;
      await events.publish(tx, [{ type: 'agent.removed', data: { id } }]);
      await audit.record(tx, { action: 'agent.purge', actor: 'system', target: { kind: 'agent', id } });
    });

  return async (stopped) => {
    const { nowMs, sinceMs } = listeningWindow.moment();
    while (!stopped() && (await db.write((tx) => makeSliceInactive(tx, nowMs))) === SLICE);
    await db.write(async (tx) => announceAgents(tx, deps, 'agent.changed', await unmarkCloned(tx, nowMs)));
    if (nowMs - sinceMs < TRUSTED_AFTER_MS) return;
    while (!stopped() && (await db.write((tx) => removeOldVitals(tx, nowMs))));
    await packFinishedHour(nowMs, stopped);
    const due = await findPurgeable(db.read, nowMs - PURGE_AFTER_MS, SLICE);
    for (const id of due) {
      if (stopped()) return;
      await removeHistory(db, [id], stopped);
      await purge(id);
    }
    if (due.length > 0) log.info({ agents: due.length }, 'purged agents that were deleted 30 days ago');
  };
}
