// Filters of agents over many values, and at an earlier moment.
import { unixSeconds } from '@quarterdeck/core';
import { cached } from '@quarterdeck/core/sql';
import { beforeAll, describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { storeAgents } from '../../../test/fleet.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';

const api = useSteadyApi({ AGENT_INTERVAL: '3600' });
const { ask, agentsBy, beat } = agentCalls(api);
const removeAgents = (ids: readonly number[]) =>
  api.server.deps.db.write((tx) => tx.prisma.agent.deleteMany({ where: { id: { in: [...ids] } } }));
const queryOf = (filter: string) => `detail=1&filter=${encodeURIComponent(filter)}`;

describe('many expressions over many values', () => {
  const NOTE_LENGTH = 10_000;
  const AGENTS = 250;
  let ids: number[];
  const either = (terms: readonly string[]) => terms.map((term) => `note:${term}`).join(' OR ');

  beforeAll(async () => {
    ids = await storeAgents(api, AGENTS);
    const fill = cached("UPDATE agent SET note = ? || id WHERE note = '' AND hostname LIKE 'host-%'");
    await api.server.deps.db.write((tx) => tx.sql.run(fill, 'x'.repeat(NOTE_LENGTH)));
    return () => removeAgents(ids);
  });

  it('find agents one by one', async () => {
    for (const filter of ['note:/x\\d+$/ kernel:""', 'note:xx* kernel:""']) {
      expect((await api.admin.agent.totals({ query: { filter } })).count, filter).toBeGreaterThanOrEqual(AGENTS);
    }
  });

  it.each([
    ['that take too long together', ['/y(a?){28}z/', '/z(a?){28}y/', '/y(b?){28}z/', '/z(b?){28}y/']],
    ['that match too many values together', Array.from({ length: 10 }, (_, n) => `/x{${n + 1}}/`)],
  ])('are refused %s', async (_, terms) => {
    await expect(api.admin.agent.totals({ query: { filter: either(terms.slice(0, 1)) } })).resolves.toBeDefined();
    const { status, body } = await ask('GET', `?${queryOf(either(terms))}`);
    expect(status).toBe(400);
    expect(body.err.fields[0]).toMatchObject({
      path: 'query.filter',
      message: expect.stringContaining('The expressions take too long over the values of all agents.'),
    });
  });
});

describe('filter= with at=', () => {
  it('selects by the values of that time', async () => {
    const agent = await api.agent('node-moved');
    await beat(agent, { hostname: 'before', system_version: { kernel: '1.0.0' } });
    await api.admin.agent.update({ params: { id: agent.id }, body: { labels: { place: 'old' } } });
    api.advance(60_000);
    const then = unixSeconds(api.now());
    api.advance(60_000);
    await beat(agent, { hostname: 'after', system_version: { kernel: '2.0.0' } });
    await api.admin.agent.update({ params: { id: agent.id }, body: { labels: { place: 'new' } } });
    const idsAt = async (filter: string, at = '') => (await agentsBy(`${queryOf(filter)}${at}`)).map(({ id }) => id);
    for (const [now, past] of [
      ['host:after', 'host:before'],
      ['kernel:/^2/', 'kernel:/^1/'],
      ['place:new', 'place:old'],
    ] as const) {
      expect([await idsAt(now), await idsAt(past)]).toEqual([[agent.id], []]);
      expect([await idsAt(now, `&at=${then}`), await idsAt(past, `&at=${then}`)]).toEqual([[], [agent.id]]);
      const totals = await api.admin.agent.totals({ query: { filter: past, at: then } });
      expect(totals.count).toBe(1);
    }
    await removeAgents([agent.id]);
  });
});
