// Agents as rules see them: read by id, narrowed by the filter of a rule, described in alerts.
import { AGENT_FIELDS, type Agent, compileAgentFilter, parseFilter, unixSeconds } from '@quarterdeck/core';
import { agentsByIds } from '../../agent/records/agent.repo.ts';
import type { KindNeeds, Round, WatchingRule } from './kind.ts';
import { countText } from './words.ts';

/** Agents that are read at once. */
const AT_ONCE = 100;

/** Reads agents that match the filter of a rule. */
export type ReadAgents = (
  round: Round,
  rule: Pick<WatchingRule, 'filter'>,
  ids: Iterable<number>,
) => Promise<ReadonlyMap<number, Agent>>;

/** Creates a {@link ReadAgents}. Deleted agents are left out. */
export function agentReader({ db, listeningWindow }: Pick<KindNeeds, 'db' | 'listeningWindow'>): ReadAgents {
  return async ({ read, nowMs, eventLoop }, { filter }, ids) => {
    // The database would try expressions on the values of all agents; here they see those that something happened to.
    const matches =
      filter === '' ? () => true : compileAgentFilter(parseFilter(filter, AGENT_FIELDS), unixSeconds(nowMs));
    const shape = { detail: 1, moment: listeningWindow.moment() };
    const found = new Map<number, Agent>();
    await eventLoop.inParts([...new Set(ids)], AT_ONCE, async (part) => {
      for (const agent of await agentsByIds(read, db.dialect, part, shape)) {
        if (!agent.is_deleted && matches(agent)) found.set(agent.id, agent);
      }
    });
    return found;
  };
}

/** An agent in the detail of an alert. */
export const agentDetail = ({ id, hostname, node_id, ip, env, labels = {} }: Agent) => ({
  agent_id: id,
  hostname,
  node_id,
  address: ip,
  env,
  labels,
});

/** Name of an agent for people. */
export const agentName = ({ id, hostname }: Agent): string => (hostname === '' ? `agent ${id}` : hostname);

export const agentCause = (id: number): string => `agent:${id}`;
export const outageTitle = (count: number): string => `${countText(count, 'agent')} stopped reporting at once`;
export const outageCause = (id: number): string => `outage:${id}`;
