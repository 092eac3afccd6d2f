// The text in the place of a list without agents.

import { type AgentFilter, describeAgentFilter, isNarrowed } from '@quarterdeck/views/agents';
import { shownFilter } from '@quarterdeck/views/filters';
import { waysToEnroll } from '@quarterdeck/views/lines';
import type { Query } from '@quarterdeck/views/reads';
import { clean } from '@quarterdeck/views/text';
import type { ReactElement } from 'react';
import { FirstSteps } from '../../components/first-steps.tsx';
import type { Area } from '../../components/geometry.ts';
import { hiddenText } from '../../components/list/hidden-notice.ts';
import { QueryNotice } from '../../components/notice.tsx';
import { useDashboard } from '../../context/dashboard.ts';
import { type KeyOf, pressTo } from '../../keys/key-hints.ts';

interface EmptyAgentsProps extends Area {
  readonly query: Query<unknown>;
  readonly filter: AgentFilter;
  readonly keyOf: KeyOf;
}

/** First steps without agents: the list shows them as they enroll. */
function FirstAgents({ query, ...area }: Pick<EmptyAgentsProps, 'query' | 'width' | 'height'>): ReactElement {
  const { keyOf, profile } = useDashboard();
  if (query.status !== 'ready') return <QueryNotice query={query} reading="Reading the agents…" empty="" {...area} />;
  return (
    <FirstSteps
      title="No agents yet."
      lines={['Hosts appear here as they enroll. On a host, as root, with the token in QUARTERDECK_ENROLL_TOKEN:']}
      ways={waysToEnroll(profile.url)}
      notes={pressTo(keyOf('app.goEnrollment'), 'create an enrollment token; its command line enrolls a host')}
      {...area}
    />
  );
}

/** Reading, failed, no agents, or no match. */
export function EmptyAgents({ query, filter, keyOf, ...area }: EmptyAgentsProps): ReactElement {
  const reasons = [
    ...(filter.filter === undefined ? [] : [shownFilter(clean(filter.filter))]),
    ...describeAgentFilter(filter).map((part) => `[${part}]`),
  ];
  if (isNarrowed(filter)) {
    return (
      <QueryNotice
        query={query}
        reading="Reading the agents…"
        empty={hiddenText({ count: undefined, noun: 'agent' }, reasons, keyOf('list.close'))}
        {...area}
      />
    );
  }
  return filter.at === undefined ? (
    <FirstAgents query={query} {...area} />
  ) : (
    <QueryNotice
      query={query}
      reading="Reading the agents…"
      empty="No agents at that time."
      lines={pressTo(keyOf('list.close'), 'return to now')}
      {...area}
    />
  );
}
