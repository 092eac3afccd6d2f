import { describe, expect, it } from 'vitest';
import { agentCalls, FACTS } from '../../../test/agent-calls.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';

const SECOND_MS = 1_000;

const api = useSteadyApi();

const { ask, agentsBy, agentOf, beat } = agentCalls(api);

describe('POST /api/agents/{id}/heartbeat', () => {
  it('answers with the interval', async () => {
    const agent = await api.agent();
    for (const body of [{}, FACTS, { unknown: 1 }]) {
      const { status, body: answer } = await beat(agent, body);
      expect([status, answer.data]).toEqual([200, { interval: 30 }]);
    }
    // No body equals an empty body.
    expect((await ask('POST', `/${agent.id}/heartbeat`, undefined, agent.secret)).status).toBe(200);
    for (const body of [[], null, 'x', 1]) expect((await beat(agent, body)).status).toBe(400);
  });

  it('changes the reported fields and leaves the others', async () => {
    const agent = await api.agent();
    await beat(agent, FACTS);
    expect(await agentOf(agent.id)).toMatchObject(FACTS);
    await beat(agent, { progress: { current: 43 }, dependency: { odb_version: '2' }, system_version: {}, env: 'vm' });
    expect(await agentOf(agent.id)).toMatchObject({
      ...FACTS,
      env: 'vm',
      progress: { current: 43, detail: 'downloading' },
      dependency: { stap_version: '5.2', odb_version: '2' },
    });
    await beat(agent, { progress: { current: 0, detail: '' }, bad_kernel: false, ip: '' });
    expect(await agentOf(agent.id)).toMatchObject({ progress: { current: 0, detail: '' }, bad_kernel: false, ip: '' });
    expect((await beat(agent, { hostname: '' })).body.err.fields[0].path).toBe('body.hostname');
  });

  it('sets modified with a change, and last_reported always', async () => {
    const agent = await api.agent();
    await beat(agent, FACTS);
    const before = await agentOf(agent.id);
    let reported = before.last_reported;
    for (const body of [{}, FACTS, { ip: FACTS.ip }, { progress: FACTS.progress }, { progress: {} }]) {
      api.advance(10 * SECOND_MS);
      await beat(agent, body);
      await api.server.jobs.runAgents();
      reported += 10;
      expect(await agentOf(agent.id)).toEqual({ ...before, last_reported: reported });
    }
    await beat(agent, { ...FACTS, ip: '192.0.2.9' });
    const changed = await agentOf(agent.id);
    expect(changed.modified).toBeGreaterThanOrEqual(before.modified + 10);
    expect(changed.created).toBe(before.created);
  });

  it('loses no concurrent report', async () => {
    const agents = await Promise.all(Array.from({ length: 10 }, () => api.agent()));
    const answers = await Promise.all(
      agents.flatMap((agent, i) => [beat(agent, { ip: `192.0.2.${i}` }), beat(agent), beat(agent, { env: `e${i}` })]),
    );
    for (const { status } of answers) expect(status).toBe(200);
    const all = await agentsBy('');
    for (const [i, { id }] of agents.entries()) {
      expect(all.find((row) => row.id === id)).toMatchObject({ ip: `192.0.2.${i}`, env: `e${i}` });
    }
  });
});

describe('GET /api/agents', () => {
  it('is a bare array with its total in X-Total-Count', async () => {
    await Promise.all(Array.from({ length: 25 }, () => api.agent()));
    const { headers, body } = await ask('GET', '');
    expect(Object.keys(body).sort()).toEqual(['data', 'status', 'time']);
    expect(body.data).toHaveLength(20);
    const total = Number(headers.get('x-total-count'));
    expect(total).toBe((await agentsBy('')).length);
    const none = await ask('GET', '?_pagesize=0');
    expect([none.body.data, none.headers.get('x-total-count')]).toEqual([[], String(total)]);
    const beyond = await ask('GET', '?_page=2147483647&_pagesize=10000');
    expect([beyond.status, beyond.body.data, beyond.headers.get('x-total-count')]).toEqual([200, [], String(total)]);
    const page = await api.admin.agent.list.page({ query: { _page: 2, _pagesize: 7 } });
    expect(page.meta).toEqual({ count: total });
    // `page` and `page_size` are ignored here.
    expect((await ask('GET', '?page=3&page_size=1')).body.data).toEqual(body.data);
  });
});
