// Reads and writes of operations. An operation is unfinished as long as it has a deadline.
import type { Operation, OperationKind, OperationParams, OperationState, Page, Slice } from '@quarterdeck/core';
import { type Operation as OperationModel, statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';
import type { HistoryEntry } from './agent-history.repo.ts';

const WITH_HOSTNAME = { agent: { select: { hostname: true } } } as const;
const UNFINISHED = { deadlineMs: { gt: 0 } } as const;
/** Ended operations are kept for this long. */
const KEPT_MS = 90 * 86_400_000;

const toOperation = (row: OperationModel & { readonly agent: { readonly hostname: string } }): Operation => ({
  id: row.id,
  agent_id: row.agentId,
  hostname: row.agent.hostname,
  kind: row.kind as OperationKind,
  state: row.state as OperationState,
  progress: row.progress,
  detail: row.detail,
  created_by: row.createdBy,
  params: JSON.parse(row.params) as OperationParams,
  created: Number(row.createdMs) / 1000,
  modified: Number(row.modifiedMs) / 1000,
  deadline: Math.ceil(Number(row.deadlineMs) / 1000),
});

/** An operation; undefined where there is none. */
export async function findOperation({ prisma }: Tx, id: number): Promise<Operation | undefined> {
  const row = await prisma.operation.findUnique({ where: { id }, include: WITH_HOSTNAME });
  return row === null ? undefined : toOperation(row);
}

/** The unfinished operation of a kind on an agent: there is at most one. */
export async function findUnfinished({ prisma }: Tx, agentId: number, kind: OperationKind) {
  const row = await prisma.operation.findFirst({ where: { agentId, kind, ...UNFINISHED }, include: WITH_HOSTNAME });
  return row === null ? undefined : toOperation(row);
}

/** A page of operations of the agents that the caller may see, newest first; undefined for all. */
export async function listOperations(
  { prisma }: Tx,
  filter: { readonly agent_id?: number | undefined; readonly state?: OperationState | undefined },
  slice: Slice,
  seen: ReadonlySet<number> | undefined,
): Promise<Page<Operation>> {
  const { agent_id: agentId } = filter;
  const isHidden = agentId !== undefined && seen?.has(agentId) === false;
  if (isHidden) return { data: [], meta: { count: 0 } };
  const ids = agentId === undefined ? seen && [...seen] : [agentId];
  const where = {
    ...(ids === undefined ? {} : { agentId: { in: ids } }),
    ...(filter.state === undefined ? {} : { state: filter.state }),
  };
  const count = await prisma.operation.count({ where });
  if (slice.limit === 0 || slice.offset >= count) return { data: [], meta: { count } };
  const rows = await prisma.operation.findMany({
    where,
    include: WITH_HOSTNAME,
    orderBy: { id: 'desc' },
    skip: slice.offset,
    take: slice.limit,
  });
  return { data: rows.map(toOperation), meta: { count } };
}

/** Ids of the agents that have an unfinished operation of a kind. */
export async function findBusyAgents({ prisma }: Tx, agentIds: readonly number[], kind: OperationKind) {
  const where = { agentId: { in: [...agentIds] }, kind, ...UNFINISHED };
  const rows = await prisma.operation.findMany({ where, select: { agentId: true } });
  return rows.map(({ agentId }) => agentId);
}

/** Columns that new operations share. */
type NewOperation = Pick<OperationModel, 'kind' | 'params' | 'runWithinS' | 'createdBy'> & {
  readonly deadlineMs: number;
};

// For 10,000 agents at once `createMany` takes twelve times as long: 1.2 s.
const ADD = statement(
  (dialect) =>
    `INSERT INTO operation (agent_id, kind, params, deadline_ms, run_within_s, created_ms, modified_ms, created_by)
       SELECT id, ?, ?, CAST(? AS bigint), CAST(? AS integer), CAST(? AS bigint), CAST(? AS bigint), ? FROM agent
       WHERE ${inJson(dialect, 'id')} ORDER BY id`,
);

/** Adds an operation on each of these agents. Their next reports look for it. */
export async function addOperations(
  { sql, prisma }: Tx,
  agentIds: readonly number[],
  { kind, params, deadlineMs, runWithinS, createdBy }: NewOperation,
  nowMs: number,
) {
  const ids = JSON.stringify(agentIds);
  await sql.run(ADD, kind, params, deadlineMs, runWithinS, nowMs, nowMs, createdBy, ids);
  const where = { id: { in: [...agentIds] }, hasOperations: false };
  await prisma.agent.updateMany({ where, data: { hasOperations: true } });
}

const ENDING = { id: true, agentId: true, kind: true, state: true } as const;

/** An operation that is about to end. */
export interface EndingRow {
  readonly id: number;
  readonly agentId: number;
  readonly kind: string;
  readonly state: string;
}

export interface Ending {
  readonly state: Extract<OperationState, 'succeeded' | 'failed' | 'expired' | 'cancelled'>;
  /** The reason, for a person. */
  readonly detail: string;
}

/**
 * Ends operations of locked agents and returns their history. An agent whose running operation ends is idle again.
 * Reports of an agent without unfinished operations no longer look for any.
 */
export async function endOperations(
  { prisma }: Tx,
  rows: readonly EndingRow[],
  { state, detail }: Ending,
  nowMs: number,
): Promise<HistoryEntry[]> {
  if (rows.length === 0) return [];
  await prisma.operation.updateMany({
    where: { id: { in: rows.map(({ id }) => id) } },
    data: { state, detail, deadlineMs: 0, modifiedMs: nowMs },
  });
  const idle = rows.filter((row) => row.state === 'running').map(({ agentId }) => agentId);
  await prisma.agent.updateMany({ where: { id: { in: idle } }, data: { progressCurrent: 0, progressDetail: '' } });
  const agentIds = [...new Set(rows.map(({ agentId }) => agentId))];
  await prisma.agent.updateMany({
    where: { id: { in: agentIds }, operations: { none: UNFINISHED } },
    data: { hasOperations: false },
  });
  return rows.map(({ agentId, kind, state: before }) => ({
    agentId,
    kind: 'operation',
    field: kind,
    before,
    after: state,
  }));
}

/** Cancels the unfinished operations of locked agents and returns their history. */
export async function cancelOperations(tx: Tx, agentIds: readonly number[], detail: string, nowMs: number) {
  const where = { agentId: { in: [...agentIds] }, ...UNFINISHED };
  const rows = await tx.prisma.operation.findMany({ where, select: ENDING, orderBy: { id: 'asc' } });
  return endOperations(tx, rows, { state: 'cancelled', detail }, nowMs);
}

/** Ids of agents that have operations past their deadline; `limit` bounds the operations. */
export async function findExpiredAgents({ prisma }: Tx, nowMs: number, limit: number): Promise<number[]> {
  const rows = await prisma.operation.findMany({
    where: { deadlineMs: { gt: 0, lte: nowMs } },
    orderBy: { deadlineMs: 'asc' },
    take: limit,
    select: { agentId: true },
  });
  return [...new Set(rows.map(({ agentId }) => agentId))];
}

/** Operations of these agents that are past their deadline. */
export function findExpired({ prisma }: Tx, agentIds: readonly number[], nowMs: number): Promise<EndingRow[]> {
  const where = { agentId: { in: [...agentIds] }, deadlineMs: { gt: 0, lte: nowMs } };
  return prisma.operation.findMany({ where, select: ENDING, orderBy: { id: 'asc' } });
}

/** Removes operations that ended long ago from the oldest `limit` ones; returns their number. */
export async function removeOldOperations({ prisma }: Tx, nowMs: number, limit: number): Promise<number> {
  const oldest = await prisma.operation.findMany({
    orderBy: { id: 'asc' },
    take: limit,
    select: { id: true, createdMs: true, deadlineMs: true },
  });
  const ids = oldest
    .filter(({ createdMs, deadlineMs }) => createdMs < nowMs - KEPT_MS && deadlineMs === 0n)
    .map(({ id }) => id);
  if (ids.length === 0) return 0;
  return (await prisma.operation.deleteMany({ where: { id: { in: ids } } })).count;
}

/** Operations to send to an agent, oldest first. */
export const findPending = ({ prisma }: Tx, agentId: number, nowMs: number): Promise<OperationModel[]> =>
  prisma.operation.findMany({
    where: { agentId, state: { in: ['queued', 'delivered'] }, deadlineMs: { gt: nowMs } },
    orderBy: { id: 'asc' },
    take: 100,
  });

/** Stores that operations were sent to their agent. */
export const markDelivered = ({ prisma }: Tx, ids: readonly number[], nowMs: number): Promise<unknown> =>
  prisma.operation.updateMany({
    where: { id: { in: [...ids] }, state: 'queued' },
    data: { state: 'delivered', modifiedMs: nowMs },
  });

/** An unfinished operation of an agent. */
export const findReportable = ({ prisma }: Tx, id: number, agentId: number): Promise<OperationModel | null> =>
  prisma.operation.findFirst({ where: { id, agentId, ...UNFINISHED } });

/** Stores the report of an operation of a locked agent. */
export const saveOperation = (
  { prisma }: Tx,
  id: number,
  data: Partial<Pick<OperationModel, 'state' | 'progress' | 'detail'>> & { modifiedMs: number; deadlineMs?: number },
): Promise<unknown> => prisma.operation.update({ where: { id }, data, select: { id: true } });

export const hasUnfinished = async ({ prisma }: Tx, agentId: number): Promise<boolean> =>
  (await prisma.operation.count({ where: { agentId, ...UNFINISHED } })) > 0;
