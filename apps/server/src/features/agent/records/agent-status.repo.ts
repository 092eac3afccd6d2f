// Statuses in SQL: the rules of `agent.status.ts`, and the reads and writes of the jobs that follow statuses.
// The statements of the sweep are prepared ones: every five seconds they read the status of each agent that is late.
import { onlineWithinMs } from '@quarterdeck/core';
import { type SqlValue, statement, type Tx } from '@quarterdeck/core/db';
import { exclusiveLock, inJson } from '@quarterdeck/core/sql';
import { CLONED_FOR_MS, INACTIVE_AFTER_MS } from './agent.status.ts';
import type { Moment } from './listening-window.ts';

/** `onlineWithinMs` in SQL. */
const WITHIN_SQL = '(2 * interval_s + 30) * 1000';

/** `statusOf(...).state` in SQL, for the table `agent` without an alias. Placeholders: {@link stateParams}. */
export const STATE_SQL = `CASE WHEN is_deleted THEN 'deleted'
  WHEN state = 'offline' AND state_since_ms + ${INACTIVE_AFTER_MS} <= CAST(? AS bigint) THEN 'inactive'
  WHEN state NOT IN ('online', 'pending') OR last_reported_ms + ${WITHIN_SQL} >= CAST(? AS bigint) THEN state
  WHEN CAST(? AS bigint) + ${WITHIN_SQL} >= CAST(? AS bigint) THEN 'pending' ELSE 'offline' END`;

/** Values for the placeholders of {@link STATE_SQL}, in their order. */
export const stateParams = ({ nowMs, sinceMs }: Moment): SqlValue[] => [nowMs, nowMs, sinceMs, nowMs];

/** `isOnline` in SQL. Placeholder: now. */
export const ONLINE_SQL = `(NOT is_deleted AND state IN ('online', 'pending') AND last_reported_ms + ${WITHIN_SQL} >= CAST(? AS bigint))`;

/** `isCloned` in SQL. Placeholder: now. */
export const CLONED_SQL = `(cloned_ms > 0 AND cloned_ms + ${CLONED_FOR_MS} > CAST(? AS bigint))`;

/** A report is late this long after its interval. */
const LATE_MS = 15_000;
/**
 * Younger reports are left out, which are those of nearly the whole fleet. No agent is overdue before, and when agents
 * fall silent together, all of them are older than this at the first loss.
 */
const LOOKED_AT_MS = onlineWithinMs(0);
/** Largest difference between the clocks of servers that share a database. */
const CLOCKS_DIFFER_MS = 10_000;

const EXPECTED = "state IN ('online', 'pending') AND NOT is_deleted";
/** Placeholders: now, start of the listening window, now. */
const OVERDUE = `last_reported_ms + ${WITHIN_SQL} < CAST(? AS bigint) AND CAST(? AS bigint) + ${WITHIN_SQL} < CAST(? AS bigint)`;
const ALARMS = "state = 'online' AND NOT maintenance";

// The index on state and last report finds the few agents that are late.
const COUNT_LATE = statement(
  `SELECT coalesce(sum(overdue), 0) AS overdue, coalesce(sum(overdue * alarms), 0) AS lost,
     coalesce(sum(late * alarms), 0) AS late, coalesce(sum(silent - overdue), 0) AS waits
   FROM (SELECT CASE WHEN ${OVERDUE} THEN 1 ELSE 0 END AS overdue, CASE WHEN ${ALARMS} THEN 1 ELSE 0 END AS alarms,
       CASE WHEN last_reported_ms + interval_s * 1000 + ${LATE_MS} < CAST(? AS bigint) THEN 1 ELSE 0 END AS late,
       CASE WHEN last_reported_ms + ${WITHIN_SQL} < CAST(? AS bigint) THEN 1 ELSE 0 END AS silent
     FROM agent WHERE ${EXPECTED} AND last_reported_ms < CAST(? AS bigint)) AS seen`,
);

/** Counts of agents whose reports are late. */
export interface LateCounts {
  /** Agents to declare lost. */
  readonly overdue: number;
  /** Overdue agents whose loss is an alarm. */
  readonly lost: number;
  /** Agents that are late but not overdue, and whose loss would be an alarm. */
  readonly late: number;
  /** Agents that were online before the server was away and still have time to report. */
  readonly waits: number;
}

/** Counts agents whose reports are late. */
export async function countLate({ sql }: Tx, { nowMs, sinceMs }: Moment): Promise<LateCounts> {
  const counts = await sql.get<LateCounts>(COUNT_LATE, nowMs, sinceMs, nowMs, nowMs, nowMs, nowMs - LOOKED_AT_MS);
  if (counts === undefined) return { overdue: 0, lost: 0, late: 0, waits: 0 };
  return { ...counts, late: counts.late - counts.lost };
}

/** Counts agents whose stored state is online. */
export const countOnline = ({ prisma }: Tx): Promise<number> =>
  prisma.agent.count({ where: { state: 'online', isDeleted: false } });

const IS_AHEAD = `${EXPECTED} AND last_reported_ms > CAST(? AS bigint)`;
const FIND_AHEAD = statement(`SELECT 1 AS yes FROM agent WHERE ${IS_AHEAD} LIMIT 1`);
const SET_BACK = statement(
  `UPDATE agent SET last_reported_ms = ? WHERE id IN (SELECT id FROM agent WHERE ${IS_AHEAD} ORDER BY id LIMIT ?)`,
);

/** Finds reports from the future, which are left when the clock is set back. */
export const hasFutureReports = async ({ sql }: Tx, nowMs: number): Promise<boolean> =>
  (await sql.get(FIND_AHEAD, nowMs + CLOCKS_DIFFER_MS)) !== undefined;

/** Moves reports from the future to now, so that they keep no agent online. */
export const resetFutureReports = ({ sql }: Tx, nowMs: number, limit: number) =>
  sql.run(SET_BACK, nowMs, nowMs + CLOCKS_DIFFER_MS, limit);

// Servers that share a database sweep one after the other: each finds nothing of what the others have found.
const LOCK = exclusiveLock('agentSweep');

/** Takes the lock of the sweep until the write ends. */
export const lockSweep = ({ sql }: Tx) => sql.all(LOCK);

const FIND_OVERDUE = `SELECT id, state, maintenance, last_reported_ms + interval_s * 1000 + ${LATE_MS} AS "lateMs"
   FROM agent WHERE ${EXPECTED} AND last_reported_ms < CAST(? AS bigint) AND ${OVERDUE}`;
// Rows are locked in the order of their ids. On SQLite the order would sort all overdue agents for each slice.
const LOCK_OVERDUE = statement((dialect) =>
  dialect === 'sqlite' ? `${FIND_OVERDUE} LIMIT ?` : `${FIND_OVERDUE} ORDER BY id LIMIT ? FOR UPDATE`,
);
const LOSE = statement(
  (dialect) => `UPDATE agent SET reason = CASE WHEN state = 'online' THEN 'lost' ELSE 'never_reported' END,
     outage_id = CASE WHEN ${ALARMS} THEN CAST(? AS integer) ELSE 0 END, state = 'offline', state_since_ms = ?
   WHERE ${inJson(dialect, 'id')}`,
);

/** An agent to declare lost. */
export interface OverdueRow {
  readonly id: number;
  readonly state: 'online' | 'pending';
  readonly maintenance: number;
  /** Time at which its report was late, Unix milliseconds. */
  readonly lateMs: number;
}

/** Locks overdue agents until the write ends, `limit` at most. */
export const lockOverdue = ({ sql }: Tx, { nowMs, sinceMs }: Moment, limit: number): Promise<OverdueRow[]> =>
  sql.all<OverdueRow>(LOCK_OVERDUE, nowMs - LOOKED_AT_MS, nowMs, sinceMs, nowMs, limit);

/** Declares agents lost. Agents whose loss is an alarm join the outage; 0 is none. */
export const declareLost = ({ sql }: Tx, ids: readonly number[], outageId: number, nowMs: number) =>
  sql.run(LOSE, outageId, nowMs, JSON.stringify(ids));

/** Makes agents inactive that are offline for long, `limit` at most; returns them. */
export async function makeInactive({ prisma }: Tx, nowMs: number, limit: number) {
  const due = await prisma.agent.findMany({
    where: { state: 'offline', isDeleted: false, stateSinceMs: { lte: nowMs - INACTIVE_AFTER_MS } },
    orderBy: { id: 'asc' },
    take: limit,
    select: { id: true },
  });
  if (due.length === 0) return [];
  return prisma.agent.updateManyAndReturn({
    where: { state: 'offline', id: { in: due.map(({ id }) => id) } },
    data: { state: 'inactive', stateSinceMs: { increment: INACTIVE_AFTER_MS } },
    select: { id: true, reason: true },
  });
}

// The condition and the write are one statement: of two servers that notice a clone at once, one begins.
const BEGIN_CLONE = statement(
  `UPDATE agent SET cloned_ms = ? WHERE id = ? AND secret_used AND ${ONLINE_SQL}
     AND (cloned_ms + ${CLONED_FOR_MS} <= CAST(? AS bigint) OR cloned_ms > CAST(? AS bigint))`,
);

/** Marks an online agent as cloned. Returns false where it already is, and then prolongs the mark. */
export async function markCloned({ sql, prisma }: Tx, agentId: number, nowMs: number): Promise<boolean> {
  const begun = await sql.run(BEGIN_CLONE, nowMs, agentId, nowMs, nowMs, nowMs + CLONED_FOR_MS);
  if (begun.changes > 0) return true;
  await prisma.agent.updateMany({ where: { id: agentId, clonedMs: { gt: 0 } }, data: { clonedMs: nowMs } });
  return false;
}

/** Removes marks that no clone has prolonged; returns the ids of the agents. */
export async function unmarkCloned({ prisma }: Tx, nowMs: number): Promise<number[]> {
  const rows = await prisma.agent.updateManyAndReturn({
    where: {
      clonedMs: { gt: 0 },
      OR: [{ clonedMs: { lte: nowMs - CLONED_FOR_MS } }, { clonedMs: { gt: nowMs + CLONED_FOR_MS } }],
    },
    data: { clonedMs: 0 },
    select: { id: true },
  });
  return rows.map(({ id }) => id);
}
