// Methods that read agents.
import { AppError, PAGE_SIZE_DEFAULT, sliceOf } from '@quarterdeck/core';
import type { Deps } from '../../deps.ts';
import { checkWindow } from '../page-window.ts';
import { agentExists, agentsByIds } from './agent.repo.ts';
import type { AgentTable } from './agent.types.ts';
import { listHistory } from './agent-history.repo.ts';
import { countTotals, listAgents } from './agent-list.repo.ts';
import { findDiff } from './host-change.repo.ts';

/** Makes the methods that read agents. */
export function agentQueries({
  db,
  listeningWindow,
}: Deps): Pick<AgentTable, 'list' | 'get' | 'totals' | 'events' | 'diff'> {
  return {
    list({ query }) {
      const { _page, _pagesize, sort, detail, ...filter } = query;
      const slice = sliceOf({ page: _page, page_size: _pagesize ?? PAGE_SIZE_DEFAULT });
      return listAgents(db, { filter, sort, slice, detail, moment: listeningWindow.moment() });
    },

    async get({ params, query }) {
      const shape = { detail: query.detail, moment: listeningWindow.moment() };
      const [agent] = await agentsByIds(db.read, db.dialect, [params.id], shape);
      if (agent === undefined || (agent.is_deleted && !query.include_deleted)) throw new AppError('not_found');
      return agent;
    },

    totals: ({ query }) => countTotals(db, query, listeningWindow.moment()),

    async events({ params, query }) {
      if (!(await agentExists(db.read, params.id))) throw new AppError('not_found');
      return listHistory(db.read, { agentId: params.id, kind: query.kind, slice: checkWindow(sliceOf(query)) });
    },

    async diff({ params }) {
      const diff = await findDiff(db.read, params.id, params.event);
      if (diff === undefined) throw new AppError('not_found');
      return { diff };
    },
  };
}
