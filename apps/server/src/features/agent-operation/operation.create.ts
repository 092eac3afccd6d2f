// Asks agents for operations.
import { OPERATION_RUN_S, OPERATION_START_S, type OperationKind, type OperationParams } from '@quarterdeck/core';
import type { Dialect } from '@quarterdeck/core/db';
import { inJson } from '../../sql/among.ts';
import { cached } from '../../sql/cached.ts';
import type { AgentAction, Refusal } from '../agent/agent.action.ts';

/** What agents are asked for, and by whom. */
export interface Request {
  readonly kind: OperationKind;
  readonly params?: OperationParams | undefined;
  /** Seconds for an agent to take it, and to finish once it began. */
  readonly start_within?: number;
  readonly run_within?: number;
  readonly username: string;
}

const DELETED: Refusal = { code: 'conflict', msg: 'It is deleted.' };

/** Asks agents for an operation. One that has not finished the last of its kind is not asked again. */
export function operating(dialect: Dialect, request: Request): AgentAction {
  const { kind, params = {}, start_within = OPERATION_START_S, run_within = OPERATION_RUN_S, username } = request;
  const busy: Refusal = { code: 'conflict', msg: `It has not finished its last ${kind}.` };
  const unfinished = cached(
    `SELECT agent_id FROM operation WHERE kind = ? AND deadline_ms > 0 AND ${inJson(dialect, 'agent_id')}`,
  );
  const insert = cached(
    `INSERT INTO operation (agent_id, kind, params, deadline_ms, run_within_s, created_ms, modified_ms, created_by)
       SELECT id, ?, ?, CAST(? AS bigint), CAST(? AS integer), CAST(? AS bigint), CAST(? AS bigint), ? FROM agent
       WHERE ${inJson(dialect, 'id')} ORDER BY id`,
  );
  const mark = cached(`UPDATE agent SET has_operations = true WHERE NOT has_operations AND ${inJson(dialect, 'id')}`);
  return {
    event: undefined,
    async refusals(sql, rows) {
      const ids = JSON.stringify(rows.map(({ id }) => id));
      const asked = await sql.all<{ agent_id: number }>(unfinished, kind, ids);
      const refusals = new Map(asked.map(({ agent_id }) => [agent_id, busy] as const));
      for (const { id, is_deleted } of rows) if (is_deleted === 1) refusals.set(id, DELETED);
      return refusals;
    },
    async apply(tx, rows, nowMs) {
      const written = rows.map(({ id }) => id);
      const ids = JSON.stringify(written);
      const [deadlineMs, json] = [nowMs + start_within * 1000, JSON.stringify(params)];
      await tx.sql.run(insert, kind, json, deadlineMs, run_within, nowMs, nowMs, username, ids);
      await tx.sql.run(mark, ids);
      const happenings = written.map((agentId) => ({
        ...{ agentId, kind: 'operation' as const, field: kind, after: 'queued' },
      }));
      return { written, happenings };
    },
  };
}
