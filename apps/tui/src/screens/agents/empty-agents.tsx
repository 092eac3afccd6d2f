// What stands in the place of the agents without rows.
import type { ReactElement } from 'react';
import { QueryNotice } from '../../components/notice.tsx';
import { type AgentFilter, agentFilterText } from '../../data/agent-filter.ts';
import type { Query } from '../../data/query.ts';

interface EmptyAgentsProps {
  readonly query: Query<unknown>;
  readonly filter: AgentFilter;
  readonly width: number;
  readonly height: number;
}

/** Being read, not readable, none there, or none that passes. */
export function EmptyAgents({ query, filter, ...area }: EmptyAgentsProps): ReactElement {
  return Object.keys(filter).length === 0 ? (
    <QueryNotice
      query={query}
      reading="Reading the agents…"
      empty="No agents yet."
      lines={['Make an enrolment token (:enrolment), and enrol a host with the command line that it shows.']}
      {...area}
    />
  ) : (
    <QueryNotice
      query={query}
      reading="Reading the agents…"
      empty="No agent matches."
      lines={[agentFilterText(filter), 'Press Esc to see all of them.']}
      {...area}
    />
  );
}
