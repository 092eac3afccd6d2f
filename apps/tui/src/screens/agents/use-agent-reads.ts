// Reads the history, the vitals and the error logs of the selected agent.
import { can, contract } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import { subjectOf } from '@quarterdeck/views/actions';
import { agentHistory, agentLogs, agentVitals } from '@quarterdeck/views/agents';
import { useRowQuery } from '@quarterdeck/views/react';
import { useCallback } from 'react';
import { useDashboard } from '../../context/dashboard.ts';
import type { AgentPane, AgentReads } from './agent-panes.ts';

const EVERY_MS = 10_000;
/** Vitals are kept by the minute. */
const VITALS_EVERY_MS = 60_000;

/** Reads what the open pane shows, up to the time `at` if there is one. */
export function useAgentReads(
  agent: Agent | undefined,
  pane: AgentPane,
  active: boolean,
  at: number | undefined,
): AgentReads {
  const { client, me, now } = useDashboard();
  const { id, hostname = '' } = agent ?? {};
  const history = useCallback(
    (signal: AbortSignal) => agentHistory(client, id ?? 0, at ?? Infinity, signal),
    [client, id, at],
  );
  const vitals = useCallback(
    (signal: AbortSignal) => agentVitals(client, id ?? 0, at ?? Math.floor(now() / 1000), signal),
    [client, id, at, now],
  );
  const logs = useCallback(
    (signal: AbortSignal) => agentLogs(client, { id: id ?? 0, hostname }, at, signal),
    [client, id, hostname, at],
  );
  const maySeeLogs = can(subjectOf(me), contract.errlog.list.access);
  return {
    history: useRowQuery(id, history, { active: active && pane === 'history', everyMs: EVERY_MS }),
    vitals: useRowQuery(id, vitals, { active: active && pane === 'vitals', everyMs: VITALS_EVERY_MS }),
    logs: useRowQuery(id, logs, { active: active && maySeeLogs && pane === 'logs', everyMs: EVERY_MS }),
    maySeeLogs,
  };
}
