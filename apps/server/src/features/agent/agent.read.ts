// Agents, as people see them.
import { AppError, PAGE_SIZE_DEFAULT, sliceOf } from '@quarterdeck/core';
import type { Deps } from '../../deps.ts';
import { listAgents, toAgent } from './agent.repo.ts';
import type { AgentTable } from './agent.service.ts';

/** The methods that change nothing. */
export function agentReading({ db, now }: Deps): Pick<AgentTable, 'list' | 'get' | 'totals' | 'events'> {
  const notYet = async () => {
    throw new AppError('unknown_path');
  };
  return {
    async list({ query }) {
      const slice = sliceOf({ page: query._page, page_size: query._pagesize ?? PAGE_SIZE_DEFAULT });
      const { rows, count } = await listAgents(db, slice, query.include_deleted);
      const nowMs = now();
      return { data: rows.map((row) => toAgent(row, nowMs, query.detail)), meta: { count } };
    },
    get: notYet,
    totals: notYet,
    events: notYet,
  };
}
