import { describe, expect, it } from 'vitest';
import { agentCalls, FACTS } from '../../../test/agent-calls.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';

const api = useSteadyApi();

const { ask, agentsBy, agentOf, beat } = agentCalls(api);

describe('POST /api/agents/register', () => {
  it('answers with the id, the secret and the interval', async () => {
    const { status, body } = await ask('POST', '/register', { node_id: 'answers', hostname: 'h' });
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['data', 'status', 'time']);
    expect(body.data).toEqual({
      id: expect.any(Number),
      secret: expect.stringMatching(/^qd_a_[0-9A-Za-z]{49}$/),
      interval: 30,
    });
  });

  it('needs a node id and a host name alone', async () => {
    const before = api.now();
    const { id } = await api.admin.agent.register({ body: { node_id: 'minimal', hostname: 'minimal.host' } });
    const agent = await agentOf(id);
    expect(agent).toEqual({
      id,
      node_id: 'minimal',
      hostname: 'minimal.host',
      ip: '',
      env: 'unknown',
      online: true,
      is_deleted: false,
      bad_kernel: false,
      catch_transient_event: false,
      autorun_tools: false,
      note: '',
      system_name: '',
      created: agent.modified,
      modified: expect.any(Number),
      last_reported: Math.floor(agent.created),
      progress: { current: 0, detail: '' },
      package: { version: 0, timestamp: 0 },
      dependency: { stap_version: '', odb_version: '' },
      system_version: { kernel_package: '', kernel_bid: '', kernel_distro: '', libc: '', kernel: '' },
    });
    expect(agent.created * 1000).toBeGreaterThanOrEqual(before);
    expect(agent.created * 1000).toBeLessThanOrEqual(api.now());
  });

  it('stores all facts of an agent and no field of the server', async () => {
    const more = { note: 'mine', online: false, is_deleted: true, id: 1, created: 1, last_reported: 1, secret: 'x' };
    const { body } = await ask('POST', '/register', { node_id: 'everything', ...FACTS, ...more });
    const agent = await agentOf(body.data.id);
    expect(agent).toMatchObject(FACTS);
    expect(agent).toMatchObject({ note: '', online: true, is_deleted: false });
    expect(agent.created).toBeGreaterThan(1);
  });

  it('stores any environment unchanged', async () => {
    for (const env of ['host', 'vm', 'container', 'kubernetes', 'unknown', '', 'a toaster', '\u{1f35e}']) {
      const { id } = await api.admin.agent.register({ body: { node_id: `env ${env}`, hostname: 'h', env } });
      expect((await agentOf(id)).env).toBe(env);
    }
  });

  it('gives a known node its id and a new secret, and ends the old one', async () => {
    const first = await api.agent('again');
    await beat(first, { ip: '192.0.2.1' });
    const { created } = await agentOf(first.id);
    const second = await api.agent('again');
    expect(second.id).toBe(first.id);
    expect(second.secret).not.toBe(first.secret);
    expect((await beat(first)).body.err.code).toBe('credential_invalid');
    expect((await beat(second)).status).toBe(200);
    // A fact that is not reported again stays.
    expect(await agentOf(first.id)).toMatchObject({ created, ip: '192.0.2.1' });
    expect((await agentsBy('')).filter(({ node_id }) => node_id === 'again')).toHaveLength(1);
  });

  it('accepts one of many concurrent registrations of a node and refuses the others', async () => {
    const body = { node_id: 'at once', hostname: 'h' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('POST', '/register', body)));
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    expect(answers.filter(({ body: { err } }) => err?.code === 'conflict')).toHaveLength(19);
    expect((await beat(made[0].body.data)).status).toBe(200);
    expect((await agentsBy('')).filter(({ node_id }) => node_id === 'at once')).toHaveLength(1);
  });

  it('compares node ids exactly', async () => {
    const ids = ['Node', 'node', 'node ', ' node', 'n\u00f6de', 'no\u0308de', 'x'.repeat(200), "';--"];
    const made = await Promise.all(ids.map((id) => api.agent(id)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(ids.length);
    for (const [i, { id }] of made.entries()) expect((await agentOf(id)).node_id).toBe(ids[i]);
  });
});

describe('a node whose agent is online', () => {
  const HOUR_MS = 3_600_000;
  const body = (node_id: string) => ({ node_id, hostname: 'h' });
  const register = (node_id: string, secret?: string, more: object = {}) =>
    ask('POST', '/register', { ...body(node_id), ...more }, secret);

  /** Every kind of credential that may enroll agents. */
  async function enrollers() {
    const operator = await api.person('operator');
    return {
      enrollment: (await api.admin.enrollment.create({ body: {} })).token,
      'API token': (await operator.client.apiToken.create({ body: {} })).token,
      scoped: (await operator.client.apiToken.create({ body: { scopes: ['agent:enroll'] } })).token,
      session: undefined,
    };
  }

  it('is not taken over, not even by its own token', async () => {
    const foreign = Object.values(await enrollers());
    for (const [name, secret] of Object.entries(await enrollers())) {
      const first = (await register(`held ${name}`, secret)).body.data;
      // Before its first report, and after it.
      for (const attempt of [1, 2]) {
        for (const other of [...foreign, secret]) {
          const refused = await register(`held ${name}`, other);
          expect([name, attempt, refused.status, refused.body.err.code]).toEqual([name, attempt, 409, 'conflict']);
          expect(refused.body.err.detail).toContain('wait until it is offline');
        }
        expect((await beat(first)).status).toBe(200);
      }
    }
  });

  it('is free once the agent is shut down, deleted or offline, and keeps its id', async () => {
    const { enrollment } = await enrollers();
    const first = (await register('freed', enrollment)).body.data;
    await beat(first);
    expect((await register('freed', enrollment)).status).toBe(409);
    expect((await ask('POST', `/${first.id}/shutdown`, undefined, first.secret)).status).toBe(200);
    const second = (await register('freed', enrollment)).body.data;
    await beat(second);
    expect((await register('freed', enrollment)).status).toBe(409);
    await api.admin.agent.remove({ params: { id: first.id } });
    const third = (await register('freed', enrollment)).body.data;
    await beat(third);
    expect((await register('freed', enrollment)).status).toBe(409);
    api.advance(HOUR_MS);
    const fourth = (await register('freed', enrollment)).body.data;
    expect([second, third, fourth].map(({ id }) => id)).toEqual(Array(3).fill(first.id));
    for (const old of [first, second, third]) expect((await beat(old)).status).toBe(401);
    expect((await beat(fourth)).status).toBe(200);
  });

  it('can be forced with agent:write, with an audit entry', async () => {
    const { enrollment, scoped, 'API token': apiToken } = await enrollers();
    const first = (await register('forced', enrollment)).body.data;
    await beat(first);
    for (const secret of [enrollment, scoped]) {
      const refused = await register('forced', secret, { force: true });
      expect([refused.status, refused.body.err.code]).toEqual([403, 'forbidden']);
    }
    expect((await beat(first)).status).toBe(200);
    const second = (await register('forced', apiToken, { force: true })).body.data;
    expect(second.id).toBe(first.id);
    expect((await beat(first)).status).toBe(401);
    expect((await beat(second)).status).toBe(200);
    const { data } = await api.admin.audit.list({ query: { page_size: 100 } });
    expect(data.filter(({ target }) => target?.kind === 'agent' && target.id === first.id)).toMatchObject([
      { action: 'agent.takeover', detail: { node_id: 'forced' } },
    ]);
  });

  it('has a clone if it reports between two refusals, and none if its host lost its state', async () => {
    const cloned = async (id: number) => (await agentOf(id, 'detail=1')).cloned;
    const { enrollment } = await enrollers();
    const [twin, lost] = [await register('twin', enrollment), await register('lost', enrollment)];
    for (const { body: answer } of [twin, lost]) await beat(answer.data);
    for (let round = 0; round < 2; round += 1) {
      api.advance(30_000);
      for (const node of ['twin', 'lost']) expect((await register(node, enrollment)).status).toBe(409);
      api.advance(1_000);
      await beat(twin.body.data);
      await api.server.jobs.runAgents();
    }
    expect((await register('twin', enrollment)).status).toBe(409);
    await expect.poll(() => cloned(twin.body.data.id)).toBe(true);
    api.advance(30_000);
    expect((await register('lost', enrollment)).status).toBe(200);
    expect(await cloned(lost.body.data.id)).toBe(false);
  });
});
