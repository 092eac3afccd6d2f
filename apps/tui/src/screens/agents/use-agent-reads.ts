// What is read for the selected agent alone: its history, and the error logs of its host.
import type { AgentEvent } from '@quarterdeck/core';
import { can, contract } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import { useCallback } from 'react';
import { type AgentLogs, agentHistory, agentLogs } from '../../data/agents.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { hasData, type Query } from '../../data/query.ts';
import { rested } from '../../data/rested.ts';
import { useQuery } from '../../data/use-query.ts';
import type { AgentPane, AgentReads } from './agent-panes.ts';

const EVERY_MS = 10_000;

interface Of<T> {
  readonly id: number;
  readonly data: T;
}

/** Reads something of an agent once the selection rests on it; what is known of another one is nothing about this one. */
function useOf<T>(
  agent: Agent | undefined,
  read: (agent: Agent, signal: AbortSignal) => Promise<T>,
  active: boolean,
): Query<T> {
  const { online } = useDashboard();
  const { id = 0, hostname = '' } = agent ?? {};
  const readOf = useCallback(
    async (signal: AbortSignal): Promise<Of<T>> => {
      await rested(signal);
      return { id, data: await read({ id, hostname } as Agent, signal) };
    },
    [id, hostname, read],
  );
  const { query } = useQuery(readOf, { enabled: online && active && id !== 0, everyMs: EVERY_MS });
  if (!hasData(query)) return query;
  return query.data.id === id ? { ...query, data: query.data.data } : { status: 'loading' };
}

/** Reads what the open pane shows. */
export function useAgentReads(agent: Agent | undefined, pane: AgentPane, active: boolean): AgentReads {
  const { client, me } = useDashboard();
  const history = useCallback(
    ({ id }: Agent, signal: AbortSignal): Promise<readonly AgentEvent[]> => agentHistory(client, id, signal),
    [client],
  );
  const maySeeLogs = can(
    { kind: 'user', permissions: me.permissions, credential: me.credential },
    contract.errlog.list.access,
  );
  const logs = useCallback(
    (one: Agent, signal: AbortSignal): Promise<AgentLogs> => agentLogs(client, one, signal),
    [client],
  );
  return {
    history: useOf(agent, history, active && pane === 'history'),
    logs: useOf(agent, logs, active && maySeeLogs && pane === 'logs'),
  };
}
