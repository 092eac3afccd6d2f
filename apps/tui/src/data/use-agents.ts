// Reads the agents of a filter and follows their events.
import type { AgentTotals } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import { useCallback, useEffect, useState } from 'react';
import type { AgentFilter, AgentOrder } from './agent-filter.ts';
import { type AgentPage, agentFacets, listAgents } from './agents.ts';
import { useDashboard } from './dashboard.ts';
import type { FeedEvent } from './feed.ts';
import { hasData } from './query.ts';
import { useEvents } from './use-events.ts';
import { type QueryHandle, useQuery } from './use-query.ts';

/** Number of rows to read first. It doubles each time the selection comes near the end. */
const FIRST_ROWS = 200;
/** Maximum page size of the server. */
const ROWS_MAX = 10_000;
/** Interval of reading again, because events do not report every heartbeat, milliseconds. */
const EVERY_MS = 15_000;
/** Interval for long lists, milliseconds. */
const LONG_ROWS = 1_000;
const LONG_EVERY_MS = 60_000;
/** Minimum time between two reads after events, milliseconds. */
const REREAD_MS = 2_000;

/** Applies events: updates known rows in place and drops removed ones. */
export function withEvents(page: AgentPage, events: readonly FeedEvent[], keepsDeleted: boolean): AgentPage {
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
  return { rows, total: page.total - (page.rows.length - rows.length) };
}

type AgentNews = Extract<FeedEvent, { type: 'agent.registered' | 'agent.online' | 'agent.offline' | 'agent.changed' }>;

const isOfAgent = (event: FeedEvent): event is AgentNews =>
  ['agent.registered', 'agent.online', 'agent.offline', 'agent.changed'].includes(event.type);

/** The agents of a filter. */
export interface AgentsModel extends QueryHandle<AgentPage> {
  readonly rows: readonly Agent[];
  /** Total number of agents; 0 before the first answer. */
  readonly total: number;
  /** Reads more rows, if there are any. */
  readonly more: () => void;
}

const NONE: readonly Agent[] = [];

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
export function useAgents(filter: AgentFilter, order: AgentOrder, active: boolean): AgentsModel {
  const { client, online } = useDashboard();
  const [wanted, setWanted] = useState({ of: filter, rows: FIRST_ROWS });
  const most = wanted.of === filter ? wanted.rows : FIRST_ROWS;
  const read = useCallback(
    (signal: AbortSignal) => listAgents(client, filter, order, most, signal),
    [client, filter, order, most],
  );
  const everyMs = most > LONG_ROWS ? LONG_EVERY_MS : EVERY_MS;
  const handle = useQuery(read, { enabled: online && active, everyMs });
  const { change, refresh, query } = handle;
  const { rows, total } = hasData(query) ? query.data : { rows: NONE, total: 0 };

  useEvents((events) => change((page) => withEvents(page, events, filter.include_deleted === true)));
  useReread(refresh, active);

  const more = useCallback(() => {
    if (rows.length < total && rows.length >= most && most < ROWS_MAX) {
      setWanted({ of: filter, rows: Math.min(ROWS_MAX, most * 2) });
    }
  }, [rows.length, total, most, filter]);
  return { ...handle, rows, total, more };
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
  const handle = useQuery(read, { enabled: online && active, everyMs: EVERY_MS });
  useReread(handle.refresh, active);
  return { ...handle, totals: hasData(handle.query) ? handle.query.data : undefined };
}
