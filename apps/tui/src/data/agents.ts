// The agents as they are read and kept up to date.
import type { Agent } from '@quarterdeck/sdk';
import { useCallback } from 'react';
import { useDashboard } from './dashboard.ts';
import type { FeedEvent } from './feed.ts';
import { inOrder, readAgents } from './lists.ts';
import { curlOf } from './requests.ts';
import { useEvents } from './use-events.ts';
import { type QueryHandle, useQuery } from './use-query.ts';

/** The stream tells when an agent comes, goes or changes, but not each time it reports. */
const EVERY_MS = 15_000;

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
  const { client, ahead, online, profile } = useDashboard();
  const read = useCallback(
    (signal: AbortSignal) => ahead.take('agents') ?? readAgents(client, signal),
    [client, ahead],
  );
  const handle = useQuery(read, { enabled: online && active, everyMs: EVERY_MS });
  const { change, refresh } = handle;
  useEvents((events) => {
    // Others are not worth a render: most events are of errors.
    if (events.some(({ type }) => type.startsWith('agent.'))) change((agents) => withEvents(agents, events));
    if (active && events.some((event) => event.type === 'resync' && event.data.of !== 'errlog')) refresh();
  });
  return {
    ...handle,
    curl: curlOf({ method: 'GET', url: `${profile.consoleUrl ?? profile.url}/api/agents?_pagesize=1000&detail=1` }),
  };
}
