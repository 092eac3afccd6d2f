// The agents: list, all facts of the selected one, live updates.
import type { Agent } from '@quarterdeck/sdk';
import { type ReactElement, useMemo } from 'react';
import { ListScreen } from '../../components/list/list-screen.tsx';
import { QueryNotice } from '../../components/notice.tsx';
import { useAgents } from '../../data/agents.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { hasData } from '../../data/query.ts';
import { staleMessage } from '../../data/stale.ts';
import { useNow } from '../../data/use-now.ts';
import { clean } from '../../text/clean.ts';
import { AGENT_FACETS, agentChips, agentColumns, agentLines, agentWidths } from './agents-view.ts';

const NONE: readonly Agent[] = [];

/** The screen; while it is not visible nothing is read, and what is known is kept. */
export function AgentsScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { now, go } = useDashboard();
  const { query, refresh, curl } = useAgents(visible);
  const agents = hasData(query) ? query.data : NONE;
  const nowMs = useNow(now, 1000, visible);
  const widths = useMemo(() => agentWidths(agents), [agents]);
  const columns = useMemo(() => agentColumns(widths, nowMs), [widths, nowMs]);
  return (
    <ListScreen
      place="agents"
      visible={visible}
      rows={agents}
      columns={columns}
      facets={AGENT_FACETS}
      detail={(agent) => ({ title: clean(agent.hostname), lines: (width) => agentLines(agent, nowMs, width) })}
      chips={agentChips(agents)}
      standing={staleMessage(query, nowMs)}
      extras={{ refresh, curl }}
      commands={({ selected }) => ({
        logs: selected === undefined ? undefined : () => go({ screen: 'errlog', args: { source: selected.hostname } }),
      })}
      empty={(width, height) => (
        <QueryNotice
          query={query}
          reading="Reading the agents…"
          empty="No agents yet."
          lines={['Start one on a host with: npx -y pnpm@12 agent']}
          width={width}
          height={height}
        />
      )}
    />
  );
}
