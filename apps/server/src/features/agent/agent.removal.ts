// Agents go and come back: deleted, restored, purged.
import type { Database, Dialect } from '@quarterdeck/core/db';
import { cancelOperations } from '../agent-operation/operation.repo.ts';
import { cached, inJson } from '../errlog/read/errlog.filter.ts';
import type { AgentAction, AgentRecord, Refusal } from './agent.action.ts';
import { deletedColumns, restoredColumns } from './agent.state.ts';
import { refuseDeleted } from './agent.update.ts';

/** Lines of history deleted in one write. */
const HISTORY_SLICE = 2_000;

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
  const unlink = cached(`UPDATE source SET agent_id = 0 WHERE agent_id > 0 AND ${inJson(dialect, 'agent_id')}`);
  const purge = cached(`DELETE FROM agent WHERE ${inJson(dialect, 'id')}`);
  return {
    event: 'agent.removed',
    refusals: refuseLiving,
    prepare: (db, ids) => forgetHistory(db, ids),
    async apply(tx, rows) {
      const json = JSON.stringify(idsOf(rows));
      await tx.sql.run(unlink, json);
      await tx.sql.run(purge, json);
      return { written: idsOf(rows), happenings: [] };
    },
  };
}

/**
 * Deletes the history of deleted agents, the oldest lines first and few at a time: deleting an agent takes what is left of
 * it along in one write. One that is restored meanwhile keeps the rest.
 */
async function forgetHistory(db: Database, ids: readonly number[]): Promise<void> {
  const deleted = `SELECT id FROM agent WHERE is_deleted AND ${inJson(db.dialect, 'id')}`;
  const forget = cached(
    `DELETE FROM agent_change WHERE id IN
       (SELECT id FROM agent_change WHERE agent_id IN (${deleted}) ORDER BY agent_id, id LIMIT ?)`,
  );
  const json = JSON.stringify(ids);
  while ((await db.write((tx) => tx.sql.run(forget, json, HISTORY_SLICE))).changes === HISTORY_SLICE);
}
