// Methods that read agents, now or as they were.
import { AppError, invalidField, PAGE_SIZE_DEFAULT, sliceOf } from '@quarterdeck/core';
import { checkWindow } from '../page-window.ts';
import { countTotals, listAgents } from './agent-list.repo.ts';
import { findDiff } from './host-change.repo.ts';
import type { AgentNeeds } from './needs.ts';
import { agentExists, agentsByIds } from './records/agent.repo.ts';
import type { AgentTable } from './records/agent.types.ts';
import { listHistory } from './records/agent-history.repo.ts';
import { FLEET_NOW, fleetAt } from './records/fleet-at.repo.ts';

/** Makes the methods that read agents. */
export function agentQueries(deps: AgentNeeds): Pick<AgentTable, 'list' | 'get' | 'totals' | 'events' | 'diff'> {
  const { db, listeningWindow, now } = deps;

  /** The fleet at a time, Unix seconds, and the moment for which statuses are computed. */
  function fleetOf(at: number | undefined) {
    if (at === undefined) return { fleet: FLEET_NOW, moment: listeningWindow.moment() };
    const [atMs, nowMs] = [at * 1000, now()];
    if (atMs > nowMs) {
      throw invalidField('query.at', 'must not be in the future');
    }
    return { fleet: fleetAt(db.dialect, atMs, nowMs), moment: { nowMs: atMs, sinceMs: 0 } };
  }

  return {
    list({ query }) {
      const { _page, _pagesize, sort, detail, at, ...filter } = query;
      const slice = sliceOf({ page: _page, page_size: _pagesize ?? PAGE_SIZE_DEFAULT });
      return listAgents(db, { filter, place: 'query', sort, slice, detail, ...fleetOf(at) });
    },

    async get({ params, query, version }) {
      const read = async (detail: number) => {
        const shape = { detail, ...fleetOf(query.at) };
        const [agent] = await agentsByIds(db.read, db.dialect, [params.id], shape);
        if (agent === undefined || (agent.is_deleted && !query.include_deleted)) throw new AppError('not_found');
        return agent;
      };
      if (version === undefined || query.at !== undefined) return read(query.detail);
      // The version is read first: it may be older than the agent that is returned, and never newer.
      const detailed = await read(1);
      const agent = query.detail === 1 ? detailed : await read(query.detail);
      version.show(detailed);
      return agent;
    },

    totals({ query: { at, ...filter } }) {
      return countTotals(db, { filter, place: 'query', ...fleetOf(at) });
    },

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
