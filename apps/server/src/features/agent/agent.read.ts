// Agents, as people see them.
import { AppError, PAGE_SIZE_DEFAULT, sliceOf } from '@quarterdeck/core';
import type { Deps } from '../../deps.ts';
import { listAgents, toAgent, toDetailedAgent } from './agent.repo.ts';
import type { AgentTable } from './agent.service.ts';

/** The methods that change nothing. */
export function agentReading({ db, vigil }: Deps): Pick<AgentTable, 'list' | 'get' | 'totals' | 'events'> {
  const notYet = async () => {
    throw new AppError('unknown_path');
  };
  return {
    async list({ query }) {
      const slice = sliceOf({ page: query._page, page_size: query._pagesize ?? PAGE_SIZE_DEFAULT });
      const { rows, count } = await listAgents(db, slice, query.include_deleted);
      const moment = vigil.moment();
      const show = query.detail === 1 ? toDetailedAgent : toAgent;
      return { data: rows.map((row) => show(row, moment)), meta: { count } };
    },
    get: notYet,
    totals: notYet,
    events: notYet,
  };
}
