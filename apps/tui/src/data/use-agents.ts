// Reads the agents of a filter and follows their events.
import type { AgentTotals } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import type { AgentFilter, AgentOrder } from '@quarterdeck/views/agents';
import { agentBlocks, agentFacets } from '@quarterdeck/views/agents';
import type { FeedEvent } from '@quarterdeck/views/live';
import { hasData, type LoadedRows } from '@quarterdeck/views/reads';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useDashboard } from './dashboard.ts';
import { useEvents } from './use-events.ts';
import { type QueryHandle, useQuery } from './use-query.ts';
import { type Rows, useWindow } from './use-window.ts';

/** Rows of the first read. */
const FIRST_ROWS = 200;
/** Interval of reading again, because events do not report every heartbeat, milliseconds. */
const EVERY_MS = 15_000;
/** Minimum time between two reads after events, milliseconds. */
const REREAD_MS = 2_000;

/** Applies events: updates known rows in place and drops removed ones. */
export function withEvents(
  page: LoadedRows<Agent>,
  events: readonly FeedEvent[],
  keepsDeleted: boolean,
): LoadedRows<Agent> {
  const changed = new Map<number, Agent | null>();
  for (const event of events) {
    if (event.type === 'agent.removed') changed.set(event.data.id, null);
    else if (isOfAgent(event)) changed.set(event.data.id, event.data);
  }
  if (!page.rows.some(({ id }) => changed.has(id))) return page;
  const rows = page.rows.flatMap((row) => {
    const news = changed.get(row.id);
    if (news === undefined) return [row];
    if (news === null) return keepsDeleted ? [row] : [];
    // An event may carry fewer fields than a row of the list.
    return news.is_deleted && !keepsDeleted ? [] : [{ ...row, ...news }];
  });
  return { ...page, rows, total: page.total - (page.rows.length - rows.length) };
}

type AgentNews = Extract<FeedEvent, { type: 'agent.registered' | 'agent.online' | 'agent.offline' | 'agent.changed' }>;

const isOfAgent = (event: FeedEvent): event is AgentNews =>
  ['agent.registered', 'agent.online', 'agent.offline', 'agent.changed'].includes(event.type);

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
  const { client, online } = useDashboard();
  const isPast = filter.at !== undefined;
  const read = useMemo(() => agentBlocks(client, filter, order), [client, filter, order]);
  const handle = useWindow(read, {
    enabled: online && active,
    ...(isPast ? {} : { everyMs: EVERY_MS }),
    first: FIRST_ROWS,
  });
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
  const { client, online } = useDashboard();
  const read = useCallback(
    (signal: AbortSignal) => agentFacets(client, filter, everything, signal),
    [client, filter, everything],
  );
  const isPast = filter.at !== undefined;
  const handle = useQuery(read, { enabled: online && active, ...(isPast ? {} : { everyMs: EVERY_MS }) });
  useReread(handle.refresh, active && !isPast);
  return { ...handle, totals: hasData(handle.query) ? handle.query.data : undefined };
}
