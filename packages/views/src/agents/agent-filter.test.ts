import { describe, expect, it } from 'vitest';
import {
  type AgentFilter,
  agentFilterFor,
  agentFilterText,
  agentsPath,
  describeAgentFilter,
  NO_AGENT_FILTER,
  partsOf,
  statesOf,
  toggleAgentFacet,
} from './agent-filter.ts';

describe('the filter of agents', () => {
  it('toggles values of facets', () => {
    let filter: AgentFilter = NO_AGENT_FILTER;
    for (const [facet, key] of [
      ['state', 'offline'],
      ['state', 'pending'],
      ['env', 'vm'],
      ['label', 'site=north'],
      ['label', 'tier'],
      ['flag', 'cloned'],
    ] as const) {
      filter = toggleAgentFacet(filter, facet, key);
    }
    expect(filter).toEqual({ state: 'offline,pending', env: 'vm', label: 'site=north,tier', cloned: true });
    expect(describeAgentFilter(filter)).toEqual(['offline or pending', 'env vm', 'site=north and tier', 'cloned']);
    expect(toggleAgentFacet(toggleAgentFacet(filter, 'env', 'vm'), 'flag', 'cloned')).toEqual({
      state: 'offline,pending',
      label: 'site=north,tier',
    });
    expect(toggleAgentFacet(filter, 'flag', 'no such flag')).toBe(filter);
  });

  it('includes deleted agents with their state', () => {
    expect(toggleAgentFacet(NO_AGENT_FILTER, 'state', 'deleted')).toEqual({ state: 'deleted', include_deleted: true });
  });

  it('is parsed from the command line, without unknown states', () => {
    expect(agentFilterFor({ state: 'away', label: 'site=north', bad_kernel: '1' }, 'web')).toEqual({
      state: 'offline,pending,inactive',
      label: 'site=north',
      bad_kernel: true,
      filter: 'web',
    });
    expect(agentFilterFor({ host: 'a:b' }, undefined)).toEqual({ filter: '"a:b"' });
    expect(agentFilterFor({ state: 'gone,online' }, undefined)).toEqual({ state: 'online' });
    expect(agentFilterText(agentFilterFor({ state: 'away' }, 'a\u0007b'))).toBe('Agents matching: away, a␇b.');
    expect(agentFilterText(NO_AGENT_FILTER)).toBe('All agents.');
  });

  it('is part of the path that lists its agents', () => {
    expect(agentsPath({ filter: 'site:a b', bad_kernel: true, at: 5 })).toBe(
      '/api/agents?filter=site%3Aa+b&bad_kernel=1&at=5&_pagesize=1000&detail=1',
    );
  });

  it('is split into away, online and deleted for the order by trouble', () => {
    expect(partsOf(NO_AGENT_FILTER, 'trouble')).toEqual([
      { filter: { state: 'offline,pending,inactive' }, sort: '-state_since' },
      { filter: { state: 'online' }, sort: 'hostname' },
    ]);
    const deleted = partsOf({ include_deleted: true, env: 'vm' }, 'trouble');
    expect(deleted.map(({ filter }) => filter.state)).toEqual(['offline,pending,inactive', 'online', 'deleted']);
    expect(deleted.every(({ filter }) => filter.env === 'vm')).toBe(true);
    expect(partsOf({ state: 'online,inactive' }, 'trouble')).toHaveLength(2);
    expect(partsOf({ state: 'online,inactive' }, 'calm').map(({ filter }) => filter.state)).toEqual([
      'online',
      'inactive',
    ]);
    expect(partsOf({ env: 'vm' }, '-kernel')).toEqual([{ filter: { env: 'vm' }, sort: '-kernel' }]);
    expect(statesOf({ state: 'online' })).toEqual(['online']);
  });
});
