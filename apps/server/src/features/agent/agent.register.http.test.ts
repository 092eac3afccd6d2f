import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentCalls, FACTS } from '../../../test/agent-calls.ts';
import { type Answer, startApi, type TestApi } from '../../../test/start-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const { ask, agentsBy, agentOf, beat } = agentCalls(() => api);

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

  it('needs no more than a node id and a host name', async () => {
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

  it('stores everything an agent says of itself, and nothing it does not decide', async () => {
    const more = { note: 'mine', online: false, is_deleted: true, id: 1, created: 1, last_reported: 1, secret: 'x' };
    const { body } = await ask('POST', '/register', { node_id: 'everything', ...FACTS, ...more });
    const agent = await agentOf(body.data.id);
    expect(agent).toMatchObject(FACTS);
    expect(agent).toMatchObject({ note: '', online: true, is_deleted: false });
    expect(agent.created).toBeGreaterThan(1);
  });

  it('takes any environment as it comes', async () => {
    for (const env of ['host', 'vm', 'container', 'kubernetes', 'unknown', '', 'a toaster', '\u{1f35e}']) {
      const { id } = await api.admin.agent.register({ body: { node_id: `env ${env}`, hostname: 'h', env } });
      expect((await agentOf(id)).env).toBe(env);
    }
  });

  it('knows a node again: the same id, and the old secret is dead', async () => {
    const first = await api.agent('again');
    await beat(first, { ip: '192.0.2.1' });
    const { created } = await agentOf(first.id);
    const second = await api.agent('again');
    expect(second.id).toBe(first.id);
    expect(second.secret).not.toBe(first.secret);
    expect((await beat(first)).body.err.code).toBe('credential_invalid');
    expect((await beat(second)).status).toBe(200);
    // What it did not say again stays.
    expect(await agentOf(first.id)).toMatchObject({ created, ip: '192.0.2.1' });
    expect((await agentsBy('')).filter(({ node_id }) => node_id === 'again')).toHaveLength(1);
  });

  it('makes one agent of a node, however often it registers at once, and one secret lives', async () => {
    const body = { node_id: 'at once', hostname: 'h' };
    const made = await Promise.all(Array.from({ length: 20 }, () => api.admin.agent.register({ body })));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    const beats = await Promise.all(made.map((agent) => beat(agent)));
    expect(beats.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(401)]);
  });

  it('tells nodes apart by every character of their ids', async () => {
    const ids = ['Node', 'node', 'node ', ' node', 'n\u00f6de', 'no\u0308de', 'x'.repeat(200), "';--"];
    const made = await Promise.all(ids.map((id) => api.agent(id)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(ids.length);
    for (const [i, { id }] of made.entries()) expect((await agentOf(id)).node_id).toBe(ids[i]);
  });

  it('names every field that is wrong', async () => {
    const good = { node_id: 'refused', hostname: 'h' };
    for (const [wrong, path] of [
      [{ node_id: undefined }, 'node_id'],
      [{ node_id: null }, 'node_id'],
      [{ node_id: '' }, 'node_id'],
      [{ node_id: 7 }, 'node_id'],
      [{ node_id: 'x'.repeat(201) }, 'node_id'],
      [{ node_id: 'a\u0000' }, 'node_id'],
      [{ node_id: 'a\ud800' }, 'node_id'],
      [{ hostname: undefined }, 'hostname'],
      [{ hostname: '' }, 'hostname'],
      [{ hostname: 'x'.repeat(256) }, 'hostname'],
      [{ ip: null }, 'ip'],
      [{ ip: 'x'.repeat(65) }, 'ip'],
      [{ env: 1 }, 'env'],
      [{ bad_kernel: 'false' }, 'bad_kernel'],
      [{ autorun_tools: 0 }, 'autorun_tools'],
      [{ progress: 50 }, 'progress'],
      [{ progress: { current: 101 } }, 'progress.current'],
      [{ progress: { current: -1 } }, 'progress.current'],
      [{ progress: { current: 0.5 } }, 'progress.current'],
      [{ package: { version: -1 } }, 'package.version'],
      [{ package: { version: 2 ** 53 } }, 'package.version'],
      [{ package: { timestamp: '1' } }, 'package.timestamp'],
      [{ dependency: [] }, 'dependency'],
      [{ system_version: { libc: 2.41 } }, 'system_version.libc'],
    ] as const) {
      const { status, body } = await ask('POST', '/register', { ...good, ...wrong });
      expect([status, body.err.fields.map((field: Answer) => field.path)], JSON.stringify(wrong)).toEqual([
        400,
        [`body.${path}`],
      ]);
    }
    expect((await agentsBy('')).filter(({ node_id }) => node_id === 'refused')).toEqual([]);
  });

  it('is for those who may enrol agents', async () => {
    const viewer = await api.person('viewer');
    const operator = await api.person('operator');
    const { token } = await operator.client.apiToken.create({ body: {} });
    const agent = await api.agent();
    const register = (apiToken: string) => ask('POST', '/register', { node_id: 'by token', hostname: 'h' }, apiToken);
    expect((await register(token)).status).toBe(200);
    expect((await register((await viewer.client.apiToken.create({ body: {} })).token)).status).toBe(403);
    expect((await register(agent.secret)).status).toBe(403);
  });
});
