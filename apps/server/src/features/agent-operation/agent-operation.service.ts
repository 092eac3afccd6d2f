// The operation service: administrators list, request and cancel operations, and a job ends those past their deadline.
import { AppError, type contract, type Service, sliceOf, type UserActor } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { perform, requireFit } from '../agent/records/agent.actions.ts';
import { announceAgents } from '../agent/records/agent.events.ts';
import { lockAgents } from '../agent/records/agent.repo.ts';
import { recordHistory } from '../agent/records/agent-history.repo.ts';
import {
  endOperations,
  findExpired,
  findExpiredAgents,
  findOperation,
  findUnfinished,
  listOperations,
} from '../agent/records/agent-operation.repo.ts';
import type { CallContext } from '../call-context.ts';
import { found } from '../found.ts';
import { checkWindow } from '../page-window.ts';
import { accessOf } from '../seen-sources.ts';
import { operationAction } from './agent-operation.lifecycle.ts';
import type { OperationNeeds } from './needs.ts';

export interface AgentOperationService extends Service<(typeof contract)['agentOperation'], CallContext> {
  /** Ends operations past their deadline. */
  expire(stopped: () => boolean): Promise<void>;
}

export function agentOperationService(deps: OperationNeeds): AgentOperationService {
  const { db, audit, now } = deps;
  const seenBy = async (actor: UserActor) => (await accessOf(db, actor))?.agents;
  return {
    list: async ({ query, actor }) => listOperations(db.read, query, checkWindow(sliceOf(query)), await seenBy(actor)),

    async create({ body, actor, request }) {
      const { agent_id: id, kind } = body;
      if ((await seenBy(actor))?.has(id) === false) throw new AppError('not_found');
      return db.write(async (tx) => {
        const action = operationAction({ ...body, username: actor.username });
        const outcome = await perform(tx, deps, action, [id], { actor: actor.username, announceEach: true });
        const { hostname } = requireFit(outcome);
        const operation = await findUnfinished(tx, id, kind);
        if (operation === undefined) throw new Error(`operation ${kind} of agent ${id} was not stored`);
        await audit.record(tx, {
          action: 'agent_operation.create',
          actor,
          request,
          target: { kind: 'agent_operation', id: operation.id },
          detail: { agent_id: id, hostname, kind, params: operation.params },
        });
        return operation;
      });
    },

    async cancel({ params, actor, request }) {
      const seen = await seenBy(actor);
      await db.write(async (tx) => {
        const { agent_id: agentId } = (await findOperation(tx, params.id)) ?? {};
        if (agentId === undefined || seen?.has(agentId) === false) throw new AppError('not_found');
        await lockAgents(tx, db.dialect, [agentId]);
        // Under the lock no report can change the operation, so its state is read again.
        const operation = found(await findOperation(tx, params.id));
        const { id, kind, state, hostname } = operation;
        checkCancellable(state);
        const nowMs = now();
        const ending = { state: 'cancelled', detail: `Cancelled by ${actor.username}.` } as const;
        const history = await endOperations(tx, [{ id, agentId, kind, state }], ending, nowMs);
        const byActor = history.map((entry) => ({ ...entry, actor: actor.username }));
        await recordHistory(tx, byActor, nowMs);
        await audit.record(tx, {
          action: 'agent_operation.cancel',
          actor,
          request,
          target: { kind: 'agent_operation', id },
          detail: { agent_id: agentId, hostname, kind, state },
        });
      });
      return undefined;
    },

    async expire(stopped) {
      while (!stopped() && (await db.write((tx) => expireSlice(tx, deps))) > 0);
    },
  };
}

function checkCancellable(state: string): void {
  if (state === 'queued' || state === 'delivered') return;
  const message =
    state === 'running'
      ? 'The agent is already running the operation. Wait until it ends.'
      : 'The operation has already ended.';
  throw new AppError('conflict', { message });
}

/** Operations ended in one write. */
const SLICE = 250;

const EXPIRED = {
  queued: 'The agent did not report before the deadline.',
  delivered: 'The agent received the operation and did not start it before the deadline.',
  running: 'The agent started the operation and did not finish it before the deadline.',
};

/**
 * Ends a slice of operations past their deadline; returns their number. Deadlines follow the server's wall clock:
 * they come earlier or later where it is set, and always come.
 */
async function expireSlice(tx: Tx, deps: OperationNeeds): Promise<number> {
  const nowMs = deps.now();
  const agentIds = await findExpiredAgents(tx, nowMs, SLICE);
  if (agentIds.length === 0) return 0;
  await lockAgents(tx, deps.db.dialect, agentIds);
  // Under the lock no report can change the operations, so they are read again.
  const rows = await findExpired(tx, agentIds, nowMs);
  const history = [];
  for (const [state, detail] of Object.entries(EXPIRED)) {
    const ending = rows.filter((row) => row.state === state);
    history.push(...(await endOperations(tx, ending, { state: 'expired', detail }, nowMs)));
  }
  await recordHistory(tx, history, nowMs);
  const idle = rows.filter((row) => row.state === 'running').map(({ agentId }) => agentId);
  await announceAgents(tx, deps, 'agent.changed', [...new Set(idle)]);
  return rows.length;
}
