import { AGENT_PERMISSIONS, type Agent } from '@quarterdeck/core';
import { createClient } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentCalls, FACTS } from '../../../test/agent-calls.ts';
import { type Answer, startApi, type TestApi } from '../../../test/start-api.ts';

const SECOND_MS = 1_000;
/** Twice the default interval of 30 s and half a minute. */
const ONLINE_MS = 90 * SECOND_MS;

/** Specification 2.4, name by name. */
const SHAPE = {
  id: 'integer',
  node_id: 'string',
  hostname: 'string',
  ip: 'string',
  env: 'string',
  online: 'boolean',
  is_deleted: 'boolean',
  bad_kernel: 'boolean',
  catch_transient_event: 'boolean',
  autorun_tools: 'boolean',
  note: 'string',
  system_name: 'string',
  created: 'number',
  modified: 'number',
  last_reported: 'integer',
  progress: { current: 'integer', detail: 'string' },
  package: { version: 'integer', timestamp: 'integer' },
  dependency: { stap_version: 'string', odb_version: 'string' },
  system_version: {
    kernel_package: 'string',
    kernel_bid: 'string',
    kernel_distro: 'string',
    libc: 'string',
    kernel: 'string',
  },
};

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const { ask, agentsBy, agentOf, beat } = agentCalls(() => api);

/** The shape of a value, in the terms of {@link SHAPE}. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
  }
  return Number.isInteger(value) ? 'integer' : typeof value;
}

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

  it('serves the agent itself alone', async () => {
    const [one, two] = [await api.agent(), await api.agent()];
    const foreign = await ask('POST', `/${two.id}/heartbeat`, {}, one.secret);
    const missing = await ask('POST', '/2147483647/heartbeat', {}, one.secret);
    for (const { status, body } of [foreign, missing]) {
      expect([status, body.err.code]).toEqual([404, 'not_found']);
    }
    // Everything but time and request id.
    const fixed = (body: Answer) => ({ ...body, time: 0, err: { ...body.err, request_id: '' } });
    expect(fixed(foreign.body)).toEqual(fixed(missing.body));
    expect((await ask('POST', `/${one.id}/heartbeat`, {})).status).toBe(403);
    expect((await ask('POST', `/${two.id}/shutdown`, undefined, one.secret)).status).toBe(404);
    expect((await agentOf(two.id)).online).toBe(true);
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
      reported += 10;
      await expect.poll(async () => (await agentOf(agent.id)).last_reported).toBeGreaterThanOrEqual(reported);
      expect({ ...(await agentOf(agent.id)), last_reported: 0 }).toEqual({ ...before, last_reported: 0 });
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

describe('online', () => {
  it('holds for twice the interval and 30 seconds after a report, by the clock of the server', async () => {
    const agent = await api.agent();
    const online = async () => (await agentOf(agent.id)).online;
    expect(await online()).toBe(true);
    api.advance(ONLINE_MS - 5 * SECOND_MS);
    expect(await online()).toBe(true);
    await beat(agent);
    api.advance(ONLINE_MS - 5 * SECOND_MS);
    expect(await online()).toBe(true);
    api.advance(6 * SECOND_MS);
    expect(await online()).toBe(false);
    // The state needs no job, and a job does not change it.
    await api.server.jobs.runAll();
    expect(await online()).toBe(false);
    await beat(agent);
    expect(await online()).toBe(true);
  });

  it('ends with a shutdown and begins with the next report', async () => {
    const agent = await api.agent();
    const { modified } = await agentOf(agent.id);
    const { status, body } = await ask('POST', `/${agent.id}/shutdown`, undefined, agent.secret);
    expect([status, body]).toEqual([200, { status: 0 }]);
    expect(await agentOf(agent.id)).toMatchObject({ online: false, is_deleted: false, modified });
    expect((await ask('POST', `/${agent.id}/shutdown`, undefined, agent.secret)).status).toBe(200);
    await beat(agent);
    expect(await agentOf(agent.id)).toMatchObject({ online: true, modified });
    await ask('POST', `/${agent.id}/shutdown`, undefined, agent.secret);
    await api.agent(agent.nodeId);
    expect(await agentOf(agent.id)).toMatchObject({ online: true });
  });
});

describe('GET /api/agents', () => {
  it('has exactly the fields of the specification, and ours with detail=1', async () => {
    const { id } = await api.agent();
    for (const query of ['', 'detail=0', 'detail=']) {
      const agent = await agentOf(id, query);
      // A fraction may be whole by chance.
      expect(shapeOf({ ...agent, created: 0.5, modified: 0.5 })).toEqual(SHAPE);
    }
    const detailed = await agentOf(id, 'detail=1');
    expect(shapeOf({ ...detailed, created: 0.5, modified: 0.5 })).toEqual({
      ...SHAPE,
      interval: 'integer',
      state: 'string',
      reason: 'string',
      state_since: 'integer',
      maintenance: 'boolean',
      labels: {},
      bad_kernel_reason: 'string',
      cloned: 'boolean',
      boot_time: 'integer',
      started: 'integer',
      shipper: 'object',
      enrollment_id: 'integer',
    });
  });

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

  it('pages from the newest, and from the higher id at equal times', async () => {
    const { db } = api.server.deps;
    const ids = (await agentsBy('include_deleted=1')).map(({ id }) => id);
    for (const id of ids.slice(0, 9)) {
      await db.write((tx) => tx.prisma.agent.update({ where: { id }, data: { createdMs: 1_700_000_000_000n } }));
    }
    const all = await agentsBy('');
    expect(all).toEqual(all.toSorted((a, b) => b.created - a.created || b.id - a.id));
    const seen: Agent[] = [];
    for (let page = 1; seen.length < all.length; page += 1) {
      const { body } = await ask('GET', `/?_page=${page}&_pagesize=4`);
      expect(body.data.length).toBeGreaterThan(0);
      seen.push(...body.data);
    }
    expect(seen.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  });

  it('rejects a wrong page', async () => {
    for (const [query, field] of [
      ['_page=0', '_page'],
      ['_page=x', '_page'],
      ['_page=-1', '_page'],
      ['_page=1&_page=2', '_page'],
      ['_pagesize=10001', '_pagesize'],
      ['_pagesize=-1', '_pagesize'],
      ['_pagesize=1e3', '_pagesize'],
      ['detail=2', 'detail'],
      ['include_deleted=maybe', 'include_deleted'],
    ]) {
      const { status, body } = await ask('GET', `?${query}`);
      expect([status, body.err?.fields?.[0]?.path], query).toEqual([400, `query.${field}`]);
    }
    expect((await ask('GET', '?_page=&_pagesize=&detail=&include_deleted=&whatever=1')).status).toBe(200);
  });

  it('hides deleted agents unless include_deleted is set', async () => {
    const agent = await api.agent();
    const total = async (query = '') => Number((await ask('GET', `?${query}`)).headers.get('x-total-count'));
    const [before, all] = [await total(), await total('include_deleted=1')];
    await api.admin.agent.remove({ params: { id: agent.id } });
    expect([await total(), await total('include_deleted=1')]).toEqual([before - 1, all]);
    expect((await agentsBy('')).some(({ id }) => id === agent.id)).toBe(false);
    for (const flag of ['1', 'true']) {
      expect(await agentOf(agent.id, `include_deleted=${flag}`)).toMatchObject({ is_deleted: true, online: false });
    }
    for (const flag of ['0', 'false', '']) expect(await total(`include_deleted=${flag}`)).toBe(before - 1);
    expect((await beat(agent)).status).toBe(401);
    // A registration restores a deleted agent.
    const back = await api.agent(agent.nodeId);
    expect(back.id).toBe(agent.id);
    expect(await agentOf(agent.id)).toMatchObject({ is_deleted: false, online: true });
  });
});

describe('the secret of an agent', () => {
  it('opens its own paths and the log intake alone', async () => {
    const { client, id } = await api.agent();
    expect(AGENT_PERMISSIONS).toEqual(['errlog:write']);
    await client.agent.heartbeat({ params: { id }, body: {} });
    await client.errlog.append({ body: [{ level: 4, log: 'x' }] });
    for (const call of [
      () => client.errlog.list(),
      () => client.agent.list(),
      () => client.agent.register({ body: { node_id: 'x', hostname: 'x' } }),
      () => client.apiToken.create({ body: {} }),
      () => client.apiToken.list(),
      () => client.user.me(),
      () => client.user.logout(),
      () => client.system.version(),
    ]) {
      await expect(call()).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    }
  });

  it('is stored as a hash alone', async () => {
    const { id, secret } = await api.agent();
    const row = await api.server.deps.db.read.prisma.agent.findUniqueOrThrow({ where: { id } });
    expect(row.secretHash).toHaveLength(32);
    expect(Buffer.from(row.secretHash).toString('latin1')).not.toContain(secret.slice(5, 15));
    expect(api.logged.join('')).not.toContain(secret);
    const bearer = createClient({
      url: api.url,
      fetch: (input, init) => {
        const headers = new Headers(init?.headers);
        headers.set('Authorization', `Bearer ${secret}`);
        return fetch(input, { ...init, headers });
      },
    });
    await bearer.agent.heartbeat({ params: { id }, body: {} });
  });
});
