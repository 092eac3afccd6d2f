// Reads the agents of a filter and follows their events.
import type { Agent, AgentTotals } from '@quarterdeck/sdk';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { AgentFilter, AgentOrder } from '../agents/agent-filter.ts';
import { agentBlocks, agentFacets } from '../agents/agents.ts';
import { withEvents } from '../agents/with-events.ts';
import { hasData, type QueryHandle } from '../reads/query.ts';
import type { Rows } from '../reads/window.ts';
import { useEvents } from './use-events.ts';
import { useQuery } from './use-query.ts';
import { useWindow } from './use-window.ts';
import { useViews } from './views-context.ts';

/** Rows of the first read. */
const FIRST_ROWS = 200;
/** Interval of reading again, because events do not report every heartbeat, milliseconds. */
const EVERY_MS = 15_000;
/** Minimum time between two reads after events, milliseconds. */
const REREAD_MS = 2_000;

/** Reads again after events of agents, once for many events. */
function useReread(refresh: () => void, active: boolean): void {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    if (!isDue || !active) return;
    const timer = setTimeout(() => {
      setDue(false);
      refresh();
    }, REREAD_MS);
    return () => clearTimeout(timer);
  }, [isDue, active, refresh]);
  useEvents((events) => {
    // Events that can change an agent's place in a list.
    if (events.some(({ type }) => type.startsWith('agent.'))) setDue(true);
    if (active && events.some((event) => event.type === 'resync' && event.data.of !== 'errlog')) refresh();
  });
}

/** Reads the agents of a filter while `active`, and follows their events. */
export function useAgents(filter: AgentFilter, order: AgentOrder, active: boolean): Rows<Agent> {
  const { client, online } = useViews();
  const isPast = filter.at !== undefined;
  const read = useMemo(() => agentBlocks(client, filter, order), [client, filter, order]);
  const everyMs = isPast ? undefined : EVERY_MS;
  const handle = useWindow(read, { enabled: online && active, everyMs, first: FIRST_ROWS });
  const { change, refresh } = handle;
  useEvents((events) => {
    if (!isPast) change((page) => withEvents(page, events, filter.include_deleted === true));
  });
  useReread(refresh, active && !isPast);
  return handle;
}

/** Reads the counts of a filter. `everything` includes the facets. */
export function useAgentTotals(
  filter: AgentFilter,
  everything: boolean,
  active: boolean,
): QueryHandle<AgentTotals> & { readonly totals: AgentTotals | undefined } {
  const { client, online } = useViews();
  const read = useCallback(
    (signal: AbortSignal) => agentFacets(client, filter, everything, signal),
    [client, filter, everything],
  );
  const isPast = filter.at !== undefined;
  const handle = useQuery(read, { enabled: online && active, everyMs: isPast ? undefined : EVERY_MS });
  useReread(handle.refresh, active && !isPast);
  return { ...handle, totals: hasData(handle.query) ? handle.query.data : undefined };
}
