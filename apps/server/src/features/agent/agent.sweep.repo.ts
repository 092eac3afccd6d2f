// Queries of the look at who went silent. The index on state and last report finds the few that are late.
import { statement, type Tx } from '@quarterdeck/core/db';
import { exclusiveLock } from '../../sql/locks.ts';
import type { Silence } from '../outage/outage.watch.ts';
import { WITHIN_SQL } from './agent.state.ts';
import type { Moment } from './listening-window.ts';

/** So much later than its interval, a report is late. */
const LATE_MS = 15_000;
/** Clocks of servers that share a database may differ by this. */
const CLOCKS_DIFFER_MS = 10_000;

const THERE = "state IN ('online', 'pending') AND NOT is_deleted";
/** Placeholders: now, since when the server has listened, now. */
const OVERDUE = `last_reported_ms + ${WITHIN_SQL} < CAST(? AS bigint) AND CAST(? AS bigint) + ${WITHIN_SQL} < CAST(? AS bigint)`;
const ALARMS = "state = 'online' AND NOT maintenance";

const LOOK = statement(
  `SELECT coalesce(sum(overdue), 0) AS overdue, coalesce(sum(overdue * alarms), 0) AS lost,
     coalesce(sum(late * alarms), 0) AS late, coalesce(sum(silent - overdue), 0) AS waits
   FROM (SELECT CASE WHEN ${OVERDUE} THEN 1 ELSE 0 END AS overdue, CASE WHEN ${ALARMS} THEN 1 ELSE 0 END AS alarms,
       CASE WHEN last_reported_ms + interval_s * 1000 + ${LATE_MS} < CAST(? AS bigint) THEN 1 ELSE 0 END AS late,
       CASE WHEN last_reported_ms + ${WITHIN_SQL} < CAST(? AS bigint) THEN 1 ELSE 0 END AS silent
     FROM agent WHERE ${THERE} AND last_reported_ms < CAST(? AS bigint)) AS seen`,
);
const COUNT_ONLINE = statement(`SELECT count(*) AS n FROM agent WHERE state = 'online' AND NOT is_deleted`);

/** What a look at the agents shows. */
export interface Look {
  /** All that are to be declared lost. */
  readonly overdue: number;
  /** Those of them whose loss is an alarm, and those that are late. */
  readonly lost: number;
  readonly late: number;
  /** There before the server was away, and given the time to report. */
  readonly waits: number;
}

/** Looks who is silent. */
export async function lookAround(door: Tx, { nowMs, sinceMs }: Moment): Promise<Look> {
  const look = await door.sql.get<Look>(LOOK, nowMs, sinceMs, nowMs, nowMs, nowMs, nowMs - LATE_MS);
  if (look === undefined) return { overdue: 0, lost: 0, late: 0, waits: 0 };
  return { ...look, late: look.late - look.lost };
}

/** How silent it is among those that are online. */
export async function silenceOf(door: Tx, { lost, late }: Look): Promise<Silence> {
  return { lost, late, online: (await door.sql.get<{ n: number }>(COUNT_ONLINE))?.n ?? 0 };
}

const IS_AHEAD = `${THERE} AND last_reported_ms > CAST(? AS bigint)`;
const FIND_AHEAD = statement(`SELECT 1 AS yes FROM agent WHERE ${IS_AHEAD} LIMIT 1`);
const SET_BACK = statement(
  `UPDATE agent SET last_reported_ms = ? WHERE id IN (SELECT id FROM agent WHERE ${IS_AHEAD} ORDER BY id LIMIT ?)`,
);

/** Whether some have reported in what is now the future: the clock was set back. */
export const isAnyAhead = async (door: Tx, nowMs: number): Promise<boolean> =>
  (await door.sql.get(FIND_AHEAD, nowMs + CLOCKS_DIFFER_MS)) !== undefined;

/** Takes reports of the future as reports of now, so that they keep nobody online; returns how many there were. */
export const setBack = async (tx: Tx, nowMs: number, limit: number): Promise<number> =>
  (await tx.sql.run(SET_BACK, nowMs, nowMs + CLOCKS_DIFFER_MS, limit)).changes;

// Servers that share a database take turns: of what one has found the next one finds nothing.
const LOCK = exclusiveLock('agentSweep');

/** Begins a write of the sweep. */
export const lockSweep = (tx: Tx) => tx.sql.all(LOCK);

const FIND_OVERDUE = `SELECT id, state, maintenance FROM agent
   WHERE ${THERE} AND last_reported_ms < CAST(? AS bigint) AND ${OVERDUE} ORDER BY id LIMIT ?`;
const LOCK_OVERDUE = statement({
  sqlite: FIND_OVERDUE,
  postgresql: `${statement(FIND_OVERDUE).postgresql} FOR UPDATE`,
});
const IN_IDS = {
  sqlite: 'id IN (SELECT value FROM json_each(?))',
  postgresql: 'id = ANY(ARRAY(SELECT CAST(value AS integer) FROM json_array_elements_text(CAST(? AS json))))',
};
const LOSE = statement(
  (dialect) => `UPDATE agent SET reason = CASE WHEN state = 'online' THEN 'lost' ELSE 'never_reported' END,
     outage_id = CASE WHEN ${ALARMS} THEN CAST(? AS integer) ELSE 0 END, state = 'offline', state_since_ms = ?
   WHERE ${IN_IDS[dialect]}`,
);

/** An agent that is to be declared lost. */
export interface OverdueRow {
  readonly id: number;
  readonly state: 'online' | 'pending';
  readonly maintenance: number;
}

/** Some agents that are overdue, as they stay until the write ends. */
export const lockOverdue = (tx: Tx, { nowMs, sinceMs }: Moment, limit: number): Promise<OverdueRow[]> =>
  tx.sql.all<OverdueRow>(LOCK_OVERDUE, nowMs, nowMs, sinceMs, nowMs, limit);

/** Declares agents lost. Those whose loss is an alarm belong to the outage; 0 = there is none. */
export const declareLost = (tx: Tx, ids: readonly number[], outageId: number, nowMs: number) =>
  tx.sql.run(LOSE, outageId, nowMs, JSON.stringify(ids));
