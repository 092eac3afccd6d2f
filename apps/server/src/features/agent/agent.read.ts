// Agents, as people see them.
import { AppError, PAGE_SIZE_DEFAULT, sliceOf } from '@quarterdeck/core';
import { statement } from '@quarterdeck/core/db';
import type { Deps } from '../../deps.ts';
import { checkWindow } from '../page-window.ts';
import { listAgents } from './agent.list.ts';
import { agentsByIds } from './agent.rows.ts';
import type { AgentTable } from './agent.service.ts';
import { listHistory } from './agent.timeline.ts';
import { countKinds } from './agent.totals.ts';

const EXISTS = statement('SELECT id FROM agent WHERE id = ?');

/** The methods that change nothing. */
export function agentQueries({ db, listeningWindow }: Deps): Pick<AgentTable, 'list' | 'get' | 'totals' | 'events'> {
  return {
    list({ query }) {
      const { _page, _pagesize, sort, detail, ...filter } = query;
      const slice = sliceOf({ page: _page, page_size: _pagesize ?? PAGE_SIZE_DEFAULT });
      return listAgents(db, { filter, sort, slice, detail, moment: listeningWindow.moment() });
    },

    async get({ params, query }) {
      const shape = { detail: query.detail, moment: listeningWindow.moment() };
      const [agent] = await agentsByIds(db.read.sql, db.dialect, [params.id], shape);
      if (agent === undefined || (agent.is_deleted && !query.include_deleted)) throw new AppError('not_found');
      return agent;
    },

    totals: ({ query }) => countKinds(db, query, listeningWindow.moment()),

    async events({ params, query }) {
      const { sql } = db.read;
      if ((await sql.get(EXISTS, params.id)) === undefined) throw new AppError('not_found');
      return listHistory(sql, { agentId: params.id, kind: query.kind, slice: checkWindow(sliceOf(query)) });
    },
  };
}
