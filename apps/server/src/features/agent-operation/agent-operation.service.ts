// Operations: what administrators ask agents to do. How they reach the agents is in `operation.delivery.ts`.
import { AppError, type contract, type Service, sliceOf } from '@quarterdeck/core';
import type { CallContext, Deps } from '../../deps.ts';
import { lockAgents, onlyOne, perform } from '../agent/agent.action.ts';
import { recordHistory } from '../agent/agent.history.ts';
import { checkWindow } from '../page-window.ts';
import { operating } from './operation.create.ts';
import { expireOperations } from './operation.expiry.ts';
import { endOperations, findOperation, findUnfinished, listOperations } from './operation.repo.ts';

/** The service, and what the jobs need of it. */
export interface AgentOperationService extends Service<(typeof contract)['agentOperation'], CallContext> {
  /** Ends what is past its deadline. */
  expire(stopped: () => boolean): Promise<void>;
}

export function agentOperationService(deps: Deps): AgentOperationService {
  const { db, audit, now } = deps;
  return {
    list: ({ query }) => listOperations(db.read.sql, query, checkWindow(sliceOf(query))),

    create: ({ body, actor, request }) =>
      db.write(async (tx) => {
        const { agent_id: id, kind } = body;
        const action = operating(db.dialect, { ...body, username: actor.username });
        const outcome = await perform(tx, deps, action, [id], { actor: actor.username, tellEach: true });
        const { hostname } = onlyOne(outcome);
        const operation = await findUnfinished(tx.sql, id, kind);
        if (operation === undefined) throw new Error(`operation ${kind} of agent ${id} was not stored`);
        await audit.record(tx, {
          ...{ action: 'agent_operation.create', actor, request },
          target: { kind: 'agent_operation', id: operation.id },
          detail: { agent_id: id, hostname, kind, params: operation.params },
        });
        return operation;
      }),

    async cancel({ params, actor, request }) {
      await db.write(async (tx) => {
        const { agent_id } = (await findOperation(tx.sql, params.id)) ?? {};
        if (agent_id === undefined) throw new AppError('not_found');
        await lockAgents(tx, db.dialect, [agent_id]);
        // Read again now that no report can change it.
        const operation = await findOperation(tx.sql, params.id);
        if (operation === undefined) throw new AppError('not_found');
        const { id, kind, state, hostname } = operation;
        if (state === 'running') throw new AppError('conflict', { message: 'The agent has begun it.' });
        if (state !== 'queued' && state !== 'delivered') throw new AppError('conflict', { message: 'It has ended.' });
        const nowMs = now();
        const ending = { state: 'cancelled', detail: `${actor.username} took it back.` } as const;
        const happenings = await endOperations(tx, db.dialect, [operation], ending, nowMs);
        const by = actor.username;
        await recordHistory(
          tx,
          happenings.map((happening) => ({ ...happening, actor: by })),
          nowMs,
        );
        await audit.record(tx, {
          ...{ action: 'agent_operation.cancel', actor, request, target: { kind: 'agent_operation', id } },
          detail: { agent_id, hostname, kind, state },
        });
      });
      return undefined;
    },

    expire: (stopped) => expireOperations(deps, stopped),
  };
}
