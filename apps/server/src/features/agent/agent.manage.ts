// What administrators do to agents.
import { AppError } from '@quarterdeck/core';
import type { Deps } from '../../deps.ts';
import type { AgentTable } from './agent.service.ts';

/** The methods by which people change agents. */
export function agentManaging(_deps: Deps): Pick<AgentTable, 'update' | 'remove' | 'restore' | 'purge' | 'bulk'> {
  const notYet = async () => {
    throw new AppError('unknown_path');
  };
  return { update: notYet, remove: notYet, restore: notYet, purge: notYet, bulk: notYet };
}
