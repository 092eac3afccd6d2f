// The text in the place of a list without agents.
import type { ReactElement } from 'react';
import { QueryNotice } from '../../components/notice.tsx';
import { type AgentFilter, agentFilterText } from '../../data/agent-filter.ts';
import type { Query } from '../../data/query.ts';
import { type KeyOf, pressTo } from '../../keys/key-hints.ts';

interface EmptyAgentsProps {
  readonly query: Query<unknown>;
  readonly filter: AgentFilter;
  readonly keyOf: KeyOf;
  readonly width: number;
  readonly height: number;
}

/** Reading, failed, no agents, or no match. */
export function EmptyAgents({ query, filter, keyOf, ...area }: EmptyAgentsProps): ReactElement {
  return Object.keys(filter).length === 0 ? (
    <QueryNotice
      query={query}
      reading="Reading the agents…"
      empty="No agents yet."
      lines={['Create an enrolment token (:enrolment), then run the command line it shows on a host.']}
      {...area}
    />
  ) : (
    <QueryNotice
      query={query}
      reading="Reading the agents…"
      empty="No agent matches."
      lines={[agentFilterText(filter), ...pressTo(keyOf('list.close'), 'see all agents')]}
      {...area}
    />
  );
}
