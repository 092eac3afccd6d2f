// The agents as they are read and kept up to date.
import { type Agent, paginate } from '@quarterdeck/sdk';
import { useCallback } from 'react';
import { useDashboard } from './dashboard.ts';
import type { FeedEvent } from './feed.ts';
import { curlOf } from './requests.ts';
import { useEvents } from './use-events.ts';
import { type QueryHandle, useQuery } from './use-query.ts';

/** All of a fleet at once; the largest page the server gives. */
const FLEET_MAX = 10_000;
/** The stream tells when an agent comes, goes or changes, but not each time it reports. */
const EVERY_MS = 15_000;

/** Offline ones first, since they are what one looks for; then by name. */
export function inOrder(agents: Iterable<Agent>): Agent[] {
  return [...agents].sort(
    (a, b) =>
      Number(a.online) - Number(b.online) ||
      (a.hostname < b.hostname ? -1 : a.hostname > b.hostname ? 1 : 0) ||
      a.id - b.id,
  );
}

/** The agents after what the stream told. */
export function withEvents(agents: readonly Agent[], events: readonly FeedEvent[]): readonly Agent[] {
  const changed = new Map<number, Agent>();
  for (const event of events) {
    if (event.type.startsWith('agent.')) changed.set((event.data as Agent).id, event.data as Agent);
  }
  if (changed.size === 0) return agents;
  const known = new Map(agents.map((agent) => [agent.id, agent]));
  for (const [id, agent] of changed) {
    if (agent.is_deleted) known.delete(id);
    // An event may carry less than a row of the list.
    else known.set(id, { ...known.get(id), ...agent });
  }
  return inOrder(known.values());
}

/** Reads the fleet while `active`, and follows it. */
export function useAgents(active: boolean): QueryHandle<readonly Agent[]> & { readonly curl: string } {
  const { client, online, profile } = useDashboard();
  const read = useCallback(
    async (signal: AbortSignal): Promise<readonly Agent[]> => {
      const agents: Agent[] = [];
      const pages = paginate(client.agent.list, { query: { detail: 1 } }, { pageSize: FLEET_MAX, signal });
      for await (const agent of pages) agents.push(agent);
      return inOrder(agents);
    },
    [client],
  );
  const handle = useQuery(read, { enabled: online && active, everyMs: EVERY_MS });
  const { change, refresh } = handle;
  useEvents((events) => {
    change((agents) => withEvents(agents, events));
    if (active && events.some((event) => event.type === 'resync' && event.data.of !== 'errlog')) refresh();
  });
  return {
    ...handle,
    curl: curlOf({ method: 'GET', url: `${profile.consoleUrl ?? profile.url}/api/agents?_pagesize=1000&detail=1` }),
  };
}
