// Agents go and come back: deleted, restored, purged.
import type { Dialect } from '@quarterdeck/core/db';
import { cancelOperations } from '../agent-operation/operation.repo.ts';
import type { AgentAction, AgentRecord, Refusal } from './agent.action.ts';
import { removeForGood, removeHistory } from './agent.purge.ts';
import { deletedColumns, restoredColumns } from './agent.state.ts';
import { refuseDeleted } from './agent.update.ts';

const NOT_DELETED: Refusal = { code: 'conflict', msg: 'It is not deleted.' };

const refuseLiving = async (_sql: unknown, rows: readonly AgentRecord[]) =>
  new Map(rows.filter((row) => row.is_deleted === 0).map(({ id }) => [id, NOT_DELETED] as const));

const idsOf = (rows: readonly AgentRecord[]) => rows.map(({ id }) => id);

/** Deletes agents: their secrets stop working, their operations end, and they are hidden. */
export function deleting(dialect: Dialect): AgentAction {
  return {
    event: 'agent.removed',
    refusals: refuseDeleted,
    async apply(tx, rows, nowMs) {
      const ids = idsOf(rows);
      const ended = await cancelOperations(tx, dialect, ids, 'The agent was deleted.', nowMs);
      const data = { ...deletedColumns(nowMs), modifiedMs: BigInt(nowMs) };
      await tx.prisma.agent.updateMany({ where: { id: { in: ids } }, data });
      return { written: ids, happenings: [...ended, ...ids.map((agentId) => ({ agentId, kind: 'deleted' as const }))] };
    },
  };
}

/** Brings deleted agents back: they are waited for, and their secrets work. */
export function restoring(): AgentAction {
  return {
    event: 'agent.changed',
    refusals: refuseLiving,
    async apply(tx, rows, nowMs) {
      const ids = idsOf(rows);
      const data = { ...restoredColumns(nowMs), modifiedMs: BigInt(nowMs) };
      await tx.prisma.agent.updateMany({ where: { id: { in: ids } }, data });
      return { written: ids, happenings: ids.map((agentId) => ({ agentId, kind: 'restored' })) };
    },
  };
}

/** Removes deleted agents for good, with history, labels and operations. What they logged stays. */
export function purging(dialect: Dialect): AgentAction {
  return {
    event: 'agent.removed',
    refusals: refuseLiving,
    prepare: removeHistory,
    async apply(tx, rows) {
      await removeForGood(tx, dialect, idsOf(rows));
      return { written: idsOf(rows), happenings: [] };
    },
  };
}
