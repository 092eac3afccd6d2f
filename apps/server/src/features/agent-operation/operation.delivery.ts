// How operations reach agents and what becomes of them: orders go out with the answers to reports, until the agent
// says with a report that it has begun; the next reports say how it goes, and how it ends.
import type { AgentFacts, OperationKind, OperationParams, PendingOperation } from '@quarterdeck/core';
import { statement, type Tx } from '@quarterdeck/core/db';
import type { HistoryEntry } from '../agent/agent.history.ts';

const UNFINISHED = "state IN ('queued', 'delivered', 'running')";

const ORDERS = statement(
  `SELECT id, kind, params, state, run_within_s FROM operation
     WHERE agent_id = ? AND state IN ('queued', 'delivered') AND deadline_ms > ? ORDER BY id LIMIT 100`,
);
const DELIVERED = statement(
  "UPDATE operation SET state = 'delivered', modified_ms = ? WHERE id = ? AND state = 'queued'",
);
const FIND = statement(
  `SELECT kind, state, progress, detail, run_within_s FROM operation WHERE id = ? AND agent_id = ? AND ${UNFINISHED}`,
);
const REPORTED = statement(
  `UPDATE operation SET state = ?, progress = ?, detail = ?, modified_ms = ?,
     deadline_ms = CASE WHEN CAST(? AS bigint) >= 0 THEN ? ELSE deadline_ms END WHERE id = ? AND ${UNFINISHED}`,
);
const HAS_UNFINISHED = statement(`SELECT count(*) AS n FROM operation WHERE agent_id = ? AND ${UNFINISHED}`);

interface OrderRow {
  readonly id: number;
  readonly kind: OperationKind;
  readonly params: string;
  readonly state: string;
  readonly run_within_s: number;
}

type UnfinishedRow = Omit<OrderRow, 'id' | 'params'> & { readonly progress: number; readonly detail: string };

/** The orders that an agent is to be told with the answer to its report. Needs the agent's lock. */
export async function deliverOperations(tx: Tx, agentId: number, nowMs: number): Promise<PendingOperation[]> {
  const rows = await tx.sql.all<OrderRow>(ORDERS, agentId, nowMs);
  for (const { id, state } of rows) if (state === 'queued') await tx.sql.run(DELIVERED, nowMs, id);
  return rows.map(({ id, kind, params, run_within_s }) => ({
    id,
    kind,
    params: JSON.parse(params) as OperationParams,
    deadline: Math.floor(nowMs / 1000) + run_within_s,
    seconds: run_within_s,
  }));
}

/** What an agent's reports about operations come to. */
interface OperationNews {
  /** What the agent is at by them; undefined where they say nothing of it. */
  readonly progress: { readonly current: number; readonly detail: string } | undefined;
  readonly happenings: readonly HistoryEntry[];
}

/** Stores what an agent says of its operations. One that has ended stays as it is. Needs the agent's lock. */
export async function takeReports(
  tx: Tx,
  agentId: number,
  reports: NonNullable<AgentFacts['operations']>,
  nowMs: number,
): Promise<OperationNews> {
  const happenings: HistoryEntry[] = [];
  let progress: OperationNews['progress'];
  for (const { id, state, ...said } of reports) {
    const row = await tx.sql.get<UnfinishedRow>(FIND, id, agentId);
    if (row === undefined) continue;
    const hasEnded = state !== 'running';
    const current = state === 'succeeded' ? 100 : (said.progress ?? row.progress);
    const detail = said.detail ?? row.detail;
    progress = hasEnded ? { current: 0, detail: '' } : { current, detail };
    if (state === row.state && current === row.progress && detail === row.detail) continue;
    const begins = !hasEnded && row.state !== 'running';
    const deadlineMs = hasEnded ? 0 : begins ? nowMs + row.run_within_s * 1000 : -1;
    await tx.sql.run(REPORTED, state, current, detail, nowMs, deadlineMs, deadlineMs, id);
    if (hasEnded) happenings.push({ agentId, kind: 'operation', field: row.kind, before: row.state, after: state });
  }
  return { progress, happenings };
}

/** Whether an agent has operations that have not ended. */
export const hasUnfinished = async (tx: Tx, agentId: number): Promise<boolean> =>
  ((await tx.sql.get<{ n: number }>(HAS_UNFINISHED, agentId))?.n ?? 0) > 0;
