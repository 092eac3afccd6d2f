// The status of an agent: a state, its reason and its beginning. The columns hold the status as of the last change;
// `statusOf` computes it for any moment. `agent-status.repo.ts` has the same rules in SQL.
import { type AgentReason, type AgentState, onlineWithinMs } from '@quarterdeck/core';
import type { Moment } from './listening-window.ts';

const DAY_MS = 86_400_000;
/** An agent that is offline for this long becomes inactive. */
export const INACTIVE_AFTER_MS = 14 * DAY_MS;
/** A deleted agent is purged after this time. */
export const PURGE_AFTER_MS = 30 * DAY_MS;
/** An agent counts as cloned for this long after the last report of its clone. */
export const CLONED_FOR_MS = 60 * 60_000;

/** Columns that a status is computed from. */
export interface StatusRow {
  readonly isDeleted: number;
  readonly deletedMs: number;
  readonly state: string;
  readonly reason: string;
  readonly stateSinceMs: number;
  readonly lastReportedMs: number;
  readonly intervalS: number;
}

export interface AgentStatus {
  readonly state: AgentState;
  readonly reason: AgentReason;
  /** Unix milliseconds. */
  readonly sinceMs: number;
}

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
  const reason = stored.state === 'online' ? 'lost' : 'never_reported';
  return { state: 'offline', reason, sinceMs: Math.max(lastReportedMs, sinceMs) + withinMs };
}

/**
 * True while an agent's last report is recent enough. Registering is a report too (wire contract section 7).
 * `ONLINE_SQL` is the same in SQL.
 */
export const isOnline = (
  row: Pick<StatusRow, 'isDeleted' | 'state' | 'lastReportedMs' | 'intervalS'>,
  { nowMs }: Pick<Moment, 'nowMs'>,
): boolean =>
  !row.isDeleted &&
  (row.state === 'online' || row.state === 'pending') &&
  row.lastReportedMs + onlineWithinMs(row.intervalS) >= nowMs;

/** True while two hosts with one node_id count as alive. */
export const isCloned = (clonedMs: number, nowMs: number): boolean => clonedMs > 0 && clonedMs + CLONED_FOR_MS > nowMs;

/** A status as the columns that hold it. */
export const statusColumns = ({ state, reason, sinceMs }: AgentStatus) => ({ state, reason, stateSinceMs: sinceMs });

/** Columns of a deleted agent. */
export const deletedColumns = (nowMs: number) => ({
  isDeleted: true,
  deletedMs: nowMs,
  ...statusColumns({ state: 'deleted', reason: 'deleted', sinceMs: nowMs }),
});

/** Columns of a restored agent: it is offline until it reports. */
export const restoredColumns = (nowMs: number) => ({
  isDeleted: false,
  deletedMs: 0,
  ...statusColumns({ state: 'offline', reason: 'lost', sinceMs: nowMs }),
});
