// Reads operations of agents that failed, or that did not end in time.
import { statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';
import type { Round } from './kind.ts';
import type { HistoryEntry } from './new-history.repo.ts';

/** A failed operation. Times are in Unix milliseconds. */
export interface FailedOperation {
  readonly id: number;
  readonly agentId: number;
  readonly kind: string;
  readonly state: 'failed' | 'expired';
  readonly detail: string;
  readonly createdBy: string;
  readonly createdMs: number;
  readonly endedMs: number;
}

const PORTION = 1_000;
const MONTH_MS = 30 * 86_400_000;

const SELECT = `SELECT id, agent_id AS "agentId", kind, state, detail, created_by AS "createdBy",
  created_ms AS "createdMs", modified_ms AS "endedMs" FROM operation`;
const OF_AGENTS = statement(
  (dialect) => `${SELECT} WHERE state IN ('failed', 'expired') AND ${inJson(dialect, 'agent_id')}
    AND modified_ms >= CAST(? AS bigint) ORDER BY id`,
);
const BEFORE = statement(`${SELECT} WHERE id < CAST(? AS bigint) ORDER BY id DESC LIMIT ?`);

const hasFailed = (state: string) => state === 'failed' || state === 'expired';

/** True for an entry of a history that records a failure. */
export const isFailure = ({ kind, after }: HistoryEntry): boolean => kind === 'operation' && hasFailed(after);

export async function operationsOf({ sql }: Tx, entries: readonly HistoryEntry[]): Promise<FailedOperation[]> {
  if (entries.length === 0) return [];
  const keyOf = (agentId: number, kind: string, state: string, ms: number) => `${agentId} ${kind} ${state} ${ms}`;
  const ended = new Set(entries.map(({ agentId, field, after, timeMs }) => keyOf(agentId, field, after, timeMs)));
  const agentIds = JSON.stringify([...new Set(entries.map(({ agentId }) => agentId))]);
  const fromMs = Math.min(...entries.map(({ timeMs }) => timeMs));
  const rows = await sql.all<FailedOperation>(OF_AGENTS, agentIds, fromMs);
  return rows.filter(({ agentId, kind, state, endedMs }) => ended.has(keyOf(agentId, kind, state, endedMs)));
}

/** Reads the operations that failed since a time. Those that began more than a month before are left out. */
export async function replayFailures({ read, eventLoop, stopped }: Round, fromMs: number) {
  const found: FailedOperation[] = [];
  for (let beforeId = Number.MAX_SAFE_INTEGER; ; ) {
    if (stopped()) return { found, whyIncomplete: 'There are too many operations to look at.' };
    const rows = await read.sql.all<FailedOperation>(BEFORE, beforeId, PORTION);
    found.push(...rows.filter(({ state, endedMs }) => hasFailed(state) && endedMs >= fromMs));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PORTION || last.createdMs < fromMs - MONTH_MS) break;
    beforeId = last.id;
    await eventLoop.pause();
  }
  return { found, whyIncomplete: undefined };
}
