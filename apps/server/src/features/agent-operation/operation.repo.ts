// Operations: how they are stored, read and ended. One is unfinished as long as it has a deadline.
import type { Operation, OperationKind, OperationParams, OperationState, Page, Slice } from '@quarterdeck/core';
import { type Dialect, type Sql, statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '../../sql/among.ts';
import { cached } from '../../sql/cached.ts';
import { Where } from '../../sql/where.ts';
import type { HistoryEntry } from '../agent/agent.history.ts';

interface OperationRow extends Omit<Operation, 'params' | 'created' | 'modified' | 'deadline'> {
  readonly params: string;
  readonly deadline_ms: number;
  readonly created_ms: number;
  readonly modified_ms: number;
}

const SELECT = `SELECT o.id, o.agent_id, a.hostname, o.kind, o.params, o.state, o.progress, o.detail, o.deadline_ms, o.created_ms,
  o.modified_ms, o.created_by FROM operation o JOIN agent a ON a.id = o.agent_id`;
const BY_ID = statement(`${SELECT} WHERE o.id = ?`);
const UNFINISHED_OF_KIND = statement(`${SELECT} WHERE o.agent_id = ? AND o.kind = ? AND o.deadline_ms > 0`);

const toOperation = ({ params, deadline_ms, created_ms, modified_ms, ...row }: OperationRow): Operation => ({
  ...row,
  params: JSON.parse(params) as OperationParams,
  created: created_ms / 1000,
  modified: modified_ms / 1000,
  deadline: Math.ceil(deadline_ms / 1000),
});

/** An operation; undefined where there is none. */
export async function findOperation(sql: Sql, id: number): Promise<Operation | undefined> {
  const row = await sql.get<OperationRow>(BY_ID, id);
  return row === undefined ? undefined : toOperation(row);
}

/** The unfinished operation of a kind that an agent has: there is one at most. */
export async function findUnfinished(sql: Sql, agentId: number, kind: OperationKind): Promise<Operation | undefined> {
  const row = await sql.get<OperationRow>(UNFINISHED_OF_KIND, agentId, kind);
  return row === undefined ? undefined : toOperation(row);
}

/** A page of operations, newest first. */
export async function listOperations(
  sql: Sql,
  filter: { readonly agent_id?: number | undefined; readonly state?: OperationState | undefined },
  slice: Slice,
): Promise<Page<Operation>> {
  const where = new Where().andIf('o.agent_id = ?', filter.agent_id).andIf('o.state = ?', filter.state);
  const counting = cached(`SELECT count(*) AS n FROM operation o${where.text}`);
  const count = (await sql.get<{ n: number }>(counting, ...where.values))?.n ?? 0;
  if (slice.limit === 0 || slice.offset >= count) return { data: [], meta: { count } };
  const text = `${SELECT}${where.text} ORDER BY o.id DESC LIMIT ? OFFSET ?`;
  const rows = await sql.all<OperationRow>(cached(text), ...where.values, slice.limit, slice.offset);
  return { data: rows.map(toOperation), meta: { count } };
}

/** An operation that is about to end. */
export interface EndingRow {
  readonly id: number;
  readonly agent_id: number;
  readonly kind: OperationKind;
  readonly state: OperationState;
}

/** How operations end. */
export interface Ending {
  readonly state: Extract<OperationState, 'succeeded' | 'failed' | 'expired' | 'cancelled'>;
  /** Why, for a person. */
  readonly detail: string;
}

const ENDING = 'SELECT id, agent_id, kind, state FROM operation WHERE deadline_ms > 0 AND';

/**
 * Ends operations inside a write that holds their agents; what there is to remember of it. An agent whose running operation
 * ends is idle again, and one without any is no longer asked to look for its orders.
 */
export async function endOperations(
  tx: Tx,
  dialect: Dialect,
  rows: readonly EndingRow[],
  { state, detail }: Ending,
  nowMs: number,
): Promise<HistoryEntry[]> {
  if (rows.length === 0) return [];
  const ids = (of: readonly number[]) => JSON.stringify([...new Set(of)]);
  await tx.sql.run(
    cached(
      `UPDATE operation SET state = ?, detail = ?, deadline_ms = 0, modified_ms = ? WHERE ${inJson(dialect, 'id')}`,
    ),
    ...[state, detail, nowMs, ids(rows.map(({ id }) => id))],
  );
  const idle = rows.filter((row) => row.state === 'running').map(({ agent_id }) => agent_id);
  const clear = `UPDATE agent SET progress_current = 0, progress_detail = '' WHERE ${inJson(dialect, 'id')}`;
  if (idle.length > 0) await tx.sql.run(cached(clear), ids(idle));
  const left = 'EXISTS (SELECT 1 FROM operation o WHERE o.agent_id = agent.id AND o.deadline_ms > 0)';
  await tx.sql.run(
    cached(`UPDATE agent SET has_operations = ${left} WHERE ${inJson(dialect, 'id')}`),
    ids(rows.map(({ agent_id }) => agent_id)),
  );
  return rows.map(({ agent_id, kind, state: before }) => ({
    ...{ agentId: agent_id, kind: 'operation', field: kind, before, after: state },
  }));
}

/** Cancels what agents are asked for, inside a write that holds them. */
export async function cancelOperations(
  tx: Tx,
  dialect: Dialect,
  agentIds: readonly number[],
  detail: string,
  nowMs: number,
): Promise<HistoryEntry[]> {
  const unfinished = cached(`${ENDING} ${inJson(dialect, 'agent_id')} ORDER BY id`);
  const rows = await tx.sql.all<EndingRow>(unfinished, JSON.stringify(agentIds));
  return endOperations(tx, dialect, rows, { state: 'cancelled', detail }, nowMs);
}
