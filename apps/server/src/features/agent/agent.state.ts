// How it stands with an agent. The columns say how it stood when something last happened; this says how it stands now:
// `standingOf` for a row, `STATE_SQL` for a query, and both always agree.
import { type AgentReason, type AgentState, onlineWithinMs } from '@quarterdeck/core';
import type { SqlValue } from '@quarterdeck/core/db';
import type { Moment } from './listening-window.ts';

const DAY_MS = 86_400_000;
/** Offline for so long is inactive. */
export const INACTIVE_AFTER_MS = 14 * DAY_MS;
/** Deleted for so long is purged. */
export const PURGE_AFTER_MS = 30 * DAY_MS;
/** How long after it was last heard of a clone still counts as there. */
export const CLONED_FOR_MS = 60 * 60_000;

/** Columns that say how it stands. */
export interface StatusRow {
  readonly isDeleted: number;
  readonly deletedMs: number;
  readonly state: string;
  readonly reason: string;
  readonly stateSinceMs: number;
  readonly lastReportedMs: number;
  readonly intervalS: number;
}

/** How it stands with an agent, why, and since when (Unix milliseconds). */
export interface AgentStatus {
  readonly state: AgentState;
  readonly reason: AgentReason;
  readonly sinceMs: number;
}

/** How it stands with an agent at a moment. */
export function statusOf(row: StatusRow, { nowMs, sinceMs }: Moment): AgentStatus {
  if (row.isDeleted) return { state: 'deleted', reason: 'deleted', sinceMs: row.deletedMs };
  const stored = { state: row.state, reason: row.reason, sinceMs: row.stateSinceMs } as AgentStatus;
  if (stored.state === 'offline' && stored.sinceMs + INACTIVE_AFTER_MS <= nowMs) {
    return { ...stored, state: 'inactive', sinceMs: stored.sinceMs + INACTIVE_AFTER_MS };
  }
  if (stored.state !== 'online' && stored.state !== 'pending') return stored;
  const withinMs = onlineWithinMs(row.intervalS);
  const lastReportedMs = row.lastReportedMs;
  if (lastReportedMs + withinMs >= nowMs) return stored;
  const waits = sinceMs + withinMs >= nowMs;
  if (waits) return stored.state === 'pending' ? stored : { state: 'pending', reason: 'server_restarted', sinceMs };
  return { state: 'offline', reason: lostReason(stored.state), sinceMs: Math.max(lastReportedMs, sinceMs) + withinMs };
}

/**
 * Whether an agent has been heard of within its time: its state is `online`, or it has just registered, which is a report
 * too (wire contract section 7). The twin of {@link ONLINE_SQL}.
 */
export const isOnline = (
  row: Pick<StatusRow, 'isDeleted' | 'state' | 'lastReportedMs' | 'intervalS'>,
  { nowMs }: Pick<Moment, 'nowMs'>,
): boolean =>
  !row.isDeleted &&
  (row.state === 'online' || row.state === 'pending') &&
  row.lastReportedMs + onlineWithinMs(row.intervalS) >= nowMs;

/** Why an agent that was in a state is offline when it goes silent. */
const lostReason = (state: 'online' | 'pending'): AgentReason => (state === 'online' ? 'lost' : 'never_reported');

/** Whether two hosts with one node_id were alive a while ago. */
export const isCloned = (clonedMs: number, nowMs: number): boolean => clonedMs > 0 && clonedMs + CLONED_FOR_MS > nowMs;

/** {@link isCloned} in SQL, of the table `agent`. Its one placeholder takes `nowMs`. */
export const CLONED_SQL = `(cloned_ms > 0 AND cloned_ms + ${CLONED_FOR_MS} > CAST(? AS bigint))`;

/** {@link onlineWithinMs} in SQL. */
export const WITHIN_SQL = '(2 * interval_s + 30) * 1000';

/** {@link statusOf}'s state in SQL, of the table `agent` without an alias. Its placeholders take {@link stateParams}. */
export const STATE_SQL = `CASE WHEN is_deleted THEN 'deleted'
  WHEN state = 'offline' AND state_since_ms + ${INACTIVE_AFTER_MS} <= CAST(? AS bigint) THEN 'inactive'
  WHEN state NOT IN ('online', 'pending') OR last_reported_ms + ${WITHIN_SQL} >= CAST(? AS bigint) THEN state
  WHEN CAST(? AS bigint) + ${WITHIN_SQL} >= CAST(? AS bigint) THEN 'pending' ELSE 'offline' END`;

/** Values for the placeholders of {@link STATE_SQL}, in their order. */
export const stateParams = ({ nowMs, sinceMs }: Moment): SqlValue[] => [nowMs, nowMs, sinceMs, nowMs];

/** Whether an agent is online, in SQL. Its one placeholder takes `nowMs`. */
export const ONLINE_SQL = `(NOT is_deleted AND state IN ('online', 'pending') AND last_reported_ms + ${WITHIN_SQL} >= CAST(? AS bigint))`;

/** Columns of an agent that somebody deletes. */
export const deletedColumns = (nowMs: number) => ({
  isDeleted: true,
  deletedMs: nowMs,
  ...columnsOf({ state: 'deleted', reason: 'deleted', sinceMs: nowMs }),
});

/** Columns of an agent that somebody restores: it is away until it reports. */
export const restoredColumns = (nowMs: number) => ({
  isDeleted: false,
  deletedMs: 0n,
  ...columnsOf({ state: 'offline', reason: 'lost', sinceMs: nowMs }),
});

/** A standing as the columns that hold it. */
export const columnsOf = ({ state, reason, sinceMs }: AgentStatus) => ({ state, reason, stateSinceMs: sinceMs });
