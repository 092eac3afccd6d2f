// Methods that read agents, now or as they were.
import { type Actor, AppError, invalidField, PAGE_SIZE_DEFAULT, sliceOf, VITALS_DAYS } from '@quarterdeck/core';
import { found } from '../found.ts';
import { checkWindow } from '../page-window.ts';
import { accessOf } from '../seen-sources.ts';
import { findOdd } from '../suspects/odd-one-out.ts';
import { readVitals } from '../vitals/vitals.repo.ts';
import { countTotals, listAgents } from './agent-list.repo.ts';
import { findDiff } from './host-change.repo.ts';
import type { AgentNeeds } from './needs.ts';
import { agentExists, agentsByIds } from './records/agent.repo.ts';
import type { AgentTable } from './records/agent.types.ts';
import { listHistory } from './records/agent-history.repo.ts';
import { FLEET_NOW, fleetAt } from './records/fleet-at.repo.ts';

const DAY_S = 86_400;
/** Span of vitals that is read without a start. */
const DEFAULT_SPAN_S = 3600;

/** Makes the methods that read agents. */
export function agentQueries(
  deps: AgentNeeds,
): Pick<AgentTable, 'list' | 'get' | 'totals' | 'events' | 'vitals' | 'odd' | 'diff'> {
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

  const seenBy = async (actor: Actor) => (await accessOf(db, actor))?.agents;

  /** Checks that an agent exists for a caller. */
  async function checkSeen(actor: Actor, id: number): Promise<void> {
    if ((await seenBy(actor))?.has(id) === false) throw new AppError('not_found');
  }

  return {
    async list({ query, actor }) {
      const { _page, _pagesize, sort, detail, at, ...filter } = query;
      const slice = sliceOf({ page: _page, page_size: _pagesize ?? PAGE_SIZE_DEFAULT });
      const seen = await seenBy(actor);
      return listAgents(db, { filter, seen, place: 'query', sort, slice, detail, ...fleetOf(at) });
    },

    async get({ params, query, version, actor }) {
      await checkSeen(actor, params.id);
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

    async totals({ query: { at, ...filter }, actor }) {
      const seen = await seenBy(actor);
      return countTotals(db, { filter, seen, place: 'query', ...fleetOf(at) });
    },

    async events({ params, query, actor }) {
      await checkSeen(actor, params.id);
      if (!(await agentExists(db.read, params.id))) throw new AppError('not_found');
      return listHistory(db.read, { agentId: params.id, kind: query.kind, slice: checkWindow(sliceOf(query)) });
    },

    async vitals({ params: { id }, query, actor }) {
      await checkSeen(actor, id);
      if (!(await agentExists(db.read, id))) throw new AppError('not_found');
      const end = query.end_time ?? Math.floor(now() / 1000);
      const start = Math.max(query.start_time ?? end - DEFAULT_SPAN_S, end - VITALS_DAYS * DAY_S);
      const data = [...((await readVitals(db.read, [id], start * 1000, end * 1000)).get(id) ?? [])];
      return { data, meta: { count: data.length, start_time: Math.max(0, start), end_time: end } };
    },

    async odd({ params: { id }, actor }) {
      const seen = await seenBy(actor);
      if (seen?.has(id) === false || !(await agentExists(db.read, id))) throw new AppError('not_found');
      return findOdd(db, { failing: [id], atMs: now(), service: '', seen }, now());
    },

    async diff({ params, actor }) {
      await checkSeen(actor, params.id);
      const diff = found(await findDiff(db.read, params.id, params.event));
      return { diff };
    },
  };
}
