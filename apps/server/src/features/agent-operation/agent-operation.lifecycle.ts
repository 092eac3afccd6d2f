// The life of an operation: an administrator requests it, answers to reports deliver it until the agent says that it
// runs, and later reports bring its progress and its end.
import {
  type AgentFacts,
  OPERATION_RUN_S,
  OPERATION_START_S,
  type OperationKind,
  type OperationParams,
  type PendingOperation,
} from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import type { AgentAction, Refusal } from '../agent/records/agent.actions.ts';
import type { HistoryEntry } from '../agent/records/agent-history.repo.ts';
import {
  addOperations,
  findBusyAgents,
  findPending,
  findReportable,
  markDelivered,
  saveOperation,
} from '../agent/records/agent-operation.repo.ts';

export interface OperationRequest {
  readonly kind: OperationKind;
  readonly params?: OperationParams | undefined;
  /** Seconds in which the agent must start. */
  readonly start_within?: number;
  /** Seconds in which the agent must finish after it has started. */
  readonly run_within?: number;
  readonly username: string;
}

const DELETED: Refusal = { code: 'conflict', msg: 'The agent is deleted. Restore it first.' };

/** Requests an operation. An agent has at most one unfinished operation of a kind. */
export function operationAction(request: OperationRequest): AgentAction {
  const { kind, params = {}, start_within = OPERATION_START_S, run_within = OPERATION_RUN_S, username } = request;
  const busy: Refusal = { code: 'conflict', msg: `The last ${kind} has not finished. Wait for it or cancel it.` };
  return {
    event: undefined,
    async refusals(tx, rows) {
      const ids = rows.map(({ id }) => id);
      const refusals = new Map((await findBusyAgents(tx, ids, kind)).map((id) => [id, busy] as const));
      for (const { id, isDeleted } of rows) if (isDeleted) refusals.set(id, DELETED);
      return refusals;
    },
    async apply(tx, rows, nowMs) {
      const written = rows.map(({ id }) => id);
      const operation = {
        kind,
        params: JSON.stringify(params),
        deadlineMs: nowMs + start_within * 1000,
        runWithinS: run_within,
        createdBy: username,
      };
      await addOperations(tx, written, operation, nowMs);
      const history = written.map((agentId) => ({
        agentId,
        kind: 'operation' as const,
        field: kind,
        after: 'queued',
      }));
      return { written, history };
    },
  };
}

/** Delivers operations with the answer to a report of a locked agent. */
export async function deliverOperations(tx: Tx, agentId: number, nowMs: number): Promise<PendingOperation[]> {
  const rows = await findPending(tx, agentId, nowMs);
  const queued = rows.filter(({ state }) => state === 'queued').map(({ id }) => id);
  if (queued.length > 0) await markDelivered(tx, queued, nowMs);
  return rows.map(({ id, kind, params, runWithinS }) => ({
    id,
    kind: kind as OperationKind,
    params: JSON.parse(params) as OperationParams,
    deadline: Math.floor(nowMs / 1000) + runWithinS,
    seconds: runWithinS,
  }));
}

/** Changes that an agent's reports of operations make. */
interface OperationChanges {
  /** Progress of the agent; undefined where the reports have none. */
  readonly progress: { readonly current: number; readonly detail: string } | undefined;
  readonly history: readonly HistoryEntry[];
}

/** Stores the reports of a locked agent on its operations. An operation that has ended stays as it is. */
export async function takeReports(
  tx: Tx,
  agentId: number,
  reports: NonNullable<AgentFacts['operations']>,
  nowMs: number,
): Promise<OperationChanges> {
  const history: HistoryEntry[] = [];
  let progress: OperationChanges['progress'];
  for (const report of reports) {
    const { id, state } = report;
    const row = await findReportable(tx, id, agentId);
    if (row === null) continue;
    const hasEnded = state !== 'running';
    const current = state === 'succeeded' ? 100 : (report.progress ?? row.progress);
    const detail = report.detail ?? row.detail;
    progress = hasEnded ? { current: 0, detail: '' } : { current, detail };
    if (state === row.state && current === row.progress && detail === row.detail) continue;
    const begins = !hasEnded && row.state !== 'running';
    await saveOperation(tx, id, {
      state,
      progress: current,
      detail,
      modifiedMs: nowMs,
      ...(begins ? { deadlineMs: nowMs + row.runWithinS * 1000 } : {}),
      ...(hasEnded ? { deadlineMs: 0 } : {}),
    });
    if (hasEnded) history.push({ agentId, kind: 'operation', field: row.kind, before: row.state, after: state });
  }
  return { progress, history };
}
