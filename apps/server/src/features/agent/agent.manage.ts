// What administrators do to agents.
import type { Agent, UserActor } from '@quarterdeck/core';
import type { CallContext, Deps } from '../../deps.ts';
import { type AgentAction, onlyOne, perform } from './agent.action.ts';
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
export function agentManaging(deps: Deps): Pick<AgentTable, 'update' | 'remove' | 'restore' | 'purge' | 'bulk'> {
  const { db, audit, now } = deps;

  /** Does something to one agent, in one write that is remembered under `name`. */
  async function act({ params: { id }, actor, request }: Call, name: string, action: AgentAction): Promise<Agent[]> {
    onlyOne(await judge(db.read.sql, db.dialect, action, [id]));
    await action.prepare?.(db, [id]);
    return db.write(async (tx) => {
      const outcome = await perform(tx, deps, action, [id], { actor: actor.username, tellEach: true });
      const { node_id, hostname } = onlyOne(outcome);
      const changes = outcome.happenings.map(({ field, before, after }) => ({ field, before, after }));
      if (outcome.written.length > 0) {
        await audit.record(tx, {
          ...{ action: name, actor, request, target: { kind: 'agent', id } },
          detail: { node_id, hostname, ...(action.tells ? { changes } : {}) },
        });
      }
      return agentsByIds(tx.sql, db.dialect, [id], { detail: 1, nowMs: now() });
    });
  }
}
