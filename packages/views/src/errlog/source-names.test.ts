import { describe, expect, it } from 'vitest';
import { distinctNames, hostName, sourceName, sourcesText } from './source-names.ts';

describe('the name of a source', () => {
  it.each([
    [{ src: 0 }, 'this server'],
    [{ src: 7 }, '#7'],
    [{ src: 7, source: '', host: 'web-1', service: 'nginx' }, 'web-1 nginx'],
    [{ src: 7, source: 'web-1', host: 'web-1', service: '' }, 'web-1'],
    [{ src: 7, source: 'web-1', host: 'web-1', service: 'nginx' }, 'web-1 nginx'],
    [{ src: 7, source: 'web-1 nginx', host: 'web-1 nginx', service: 'nginx' }, 'web-1 nginx'],
    [{ src: 7, source: 'gw1 (agent 12)', host: 'gw1', service: 'nginx' }, 'gw1 nginx (agent 12)'],
    [{ src: 7, source: '8080', host: 'web-1', service: 'nginx' }, 'web-1 8080 nginx'],
    [{ src: 7, source: 'nginx', host: 'web-1', service: 'nginx' }, 'web-1 nginx'],
  ])('has host and service: %j', (entry, name) => {
    expect(sourceName(entry)).toBe(name);
  });

  it('is the number of sources for the same error of several', () => {
    const entry = { id: 1, level: 4, count: 1, src: 3, log_time: 0, log: '', source: 'web-1' };
    expect(sourcesText({ ...entry, sources: 6 })).toBe('6 sources');
    expect(sourcesText({ ...entry, sources: 1 })).toBe('web-1');
    expect(hostName(entry)).toBe('web-1');
  });

  it.each([
    ['address', { address: '10.0.0.1' }, { address: '10.0.0.2' }, ['api (10.0.0.1)', 'api (10.0.0.2)']],
    ['agent', { address: '', agent_id: 1 }, { address: '', agent_id: 2 }, ['api (agent 1)', 'api (agent 2)']],
    ['node', { node_id: 1 }, { node_id: 2 }, ['api (node 1)', 'api (node 2)']],
    ['id', { address: '10.0.0.1' }, { address: '10.0.0.1' }, ['api (#1)', 'api (#2)']],
  ])('is distinguished from an equal one by its %s', (_, one, other, names) => {
    const alone = { src: 3, name: 'db-1', address: '10.0.0.1' };
    const all = distinctNames([{ src: 1, name: 'api', ...one }, { src: 2, name: 'api', ...other }, alone, alone]);
    expect([...all.values()]).toEqual([...names, 'db-1']);
  });
});
