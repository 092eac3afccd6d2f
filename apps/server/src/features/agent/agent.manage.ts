// What administrators do to agents.
import type { Agent, UserActor } from '@quarterdeck/core';
import { AppError } from '@quarterdeck/core';
import type { CallContext, Deps } from '../../deps.ts';
import { type AgentAction, judge, onlyOne, perform } from './agent.action.ts';
import { changeMany } from './agent.bulk.ts';
import { deleting, purging, restoring } from './agent.removal.ts';
import { agentsByIds } from './agent.rows.ts';
import type { AgentTable } from './agent.service.ts';
import { updating } from './agent.update.ts';

interface Call {
  readonly params: { readonly id: number };
  readonly actor: UserActor;
  readonly request: CallContext['request'];
}

/** The methods by which people change agents. */
export function agentAdmin(deps: Deps): Pick<AgentTable, 'update' | 'remove' | 'restore' | 'purge' | 'bulk'> {
  const { db, audit, listeningWindow } = deps;

  /** Does something to one agent, in one write that is remembered under `name`. */
  async function act({ params: { id }, actor, request }: Call, name: string, action: AgentAction): Promise<void> {
    if (action.prepare !== undefined) {
      onlyOne(await judge(db.read.sql, db.dialect, action, [id]));
      await action.prepare(db, [id]);
    }
    await db.write(async (tx) => {
      const outcome = await perform(tx, deps, action, [id], { actor: actor.username, tellEach: true });
      const { node_id, hostname } = onlyOne(outcome);
      if (outcome.written.length === 0) return;
      const changes = outcome.happenings
        .filter(({ before, after }) => before !== after)
        .map(({ field, before, after }) => ({ field, before, after }));
      await audit.record(tx, {
        ...{ action: name, actor, request, target: { kind: 'agent', id } },
        detail: { node_id, hostname, ...(changes.length > 0 ? { changes } : {}) },
      });
    });
  }

  async function detailed(id: number): Promise<Agent> {
    const [agent] = await agentsByIds(db.read.sql, db.dialect, [id], { detail: 1, moment: listeningWindow.moment() });
    if (agent === undefined) throw new AppError('not_found');
    return agent;
  }

  return {
    async update(call) {
      await act(call, 'agent.update', updating(db.dialect, call.body));
      return detailed(call.params.id);
    },

    async remove(call) {
      await act(call, 'agent.delete', deleting(db.dialect));
      return undefined;
    },

    async restore(call) {
      await act(call, 'agent.restore', restoring());
      return detailed(call.params.id);
    },

    async purge(call) {
      await act(call, 'agent.purge', purging(db.dialect));
      return undefined;
    },

    bulk: ({ body, query, actor, request }) =>
      changeMany(deps, { ...body, dry_run: body.dry_run || query.dry_run }, { actor, request }),
  };
}
