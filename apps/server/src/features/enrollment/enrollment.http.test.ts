import { describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import type { Answer, TestApi } from '../../../test/start-api.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { word } from '../../../test/word.ts';

const HOUR_MS = 3_600_000;

const api = useSteadyApi();

const { ask, agentOf, beat } = agentCalls(api);

type Draft = NonNullable<Parameters<TestApi['admin']['enrollment']['create']>[0]>['body'];
const newToken = (body: Draft = {}) => api.admin.enrollment.create({ body });

/** Registers a node with a token, over HTTP. */
const register = (token: string, node_id = word(), more: object = {}): Promise<Answer> =>
  ask('POST', '/register', { node_id, hostname: 'h', ...more }, token);
const codeOf = ({ body }: Answer) => body.err?.code;

async function tokenById(id: number) {
  const { data } = await api.admin.enrollment.list();
  const found = data.find((token) => token.id === id);
  if (found === undefined) throw new Error(`there is no token ${id}`);
  return found;
}

const history = (agentId: number) =>
  api.server.deps.db.read.prisma.agentChange.findMany({ where: { agentId }, orderBy: { id: 'asc' } });

describe('an enrollment token', () => {
  it('shows its secret once, and is listed without it', async () => {
    const before = api.now();
    const made = await newToken({ name: 'racks', uses: 3, labels: { site: 'north' }, expire: before + HOUR_MS });
    expect(made.token).toMatch(/^qd_e_[0-9A-Za-z]{49}$/);
    const { token, ...shown } = made;
    expect(shown).toEqual({
      id: made.id,
      name: 'racks',
      expire: before + HOUR_MS,
      uses: 3,
      used: 0,
      labels: { site: 'north' },
      state: 'active',
      token_tail: token.slice(-4),
      created: expect.any(Number),
      created_by: 'admin',
      last_used: null,
    });
    const { data, meta } = await api.admin.enrollment.list();
    expect(data[0]).toEqual(shown);
    expect(meta.count).toBe(data.length);
    const stored = await api.server.deps.db.read.prisma.enrollment.findUniqueOrThrow({ where: { id: made.id } });
    expect(stored.tokenHash).toHaveLength(32);
    // Refusals of other tests are recorded in the background, also after this one.
    const audit = await api.admin.audit.list({ query: { action: 'enrollment.create' } });
    expect(JSON.stringify([audit, api.logged, await tokenById(made.id)])).not.toContain(token.slice(5, 20));
    expect(audit.data[0]?.target).toEqual({ kind: 'enrollment', id: made.id });
  });

  it('must not end in the past', async () => {
    const refused = await ask('POST', '/enrollment', { expire: api.now() - 1 });
    expect([refused.status, refused.body.err.fields[0].path]).toEqual([400, 'body.expire']);
    expect((await newToken({ expire: 0 })).expire).toBe(0);
  });

  it('enrolls agents with its labels, and has no other permission', async () => {
    const { id, token } = await newToken({ name: 'edge', labels: { site: 'north', tier: '' } });
    const { status, body } = await register(token, 'labelled');
    expect(status).toBe(200);
    expect(await agentOf(body.data.id, 'detail=1')).toMatchObject({
      labels: { site: 'north', tier: '' },
      enrollment_id: id,
      state: 'pending',
      reason: 'registered',
    });
    expect(await tokenById(id)).toMatchObject({ used: 1, state: 'active', last_used: expect.any(Number) });
    expect(await history(body.data.id)).toMatchObject([{ kind: 'registered', field: 'enrollment', after: 'edge' }]);
    const client = api.using(token);
    for (const call of [() => client.agent.list(), () => client.enrollment.list(), () => client.errlog.list()]) {
      await expect(call()).rejects.toMatchObject({ status: 403 });
    }
    expect((await ask('POST', `/${body.data.id}/heartbeat`, {}, token)).status).toBe(403);
  });

  it('counts nodes and not requests: a node may register again without uses left', async () => {
    const { id, token } = await newToken({ uses: 1 });
    const first = await register(token, 'counted');
    // The answer was lost, and the agent tries again until its node counts as offline.
    expect((await register(token, 'counted')).status).toBe(409);
    api.advance(91_000);
    const again = await register(token, 'counted');
    expect(again.body.data.id).toBe(first.body.data.id);
    expect(await tokenById(id)).toMatchObject({ used: 1, state: 'used_up' });
    expect((await beat({ ...again.body.data })).status).toBe(200);
    api.advance(91_000);
    expect((await register(token, 'counted')).status).toBe(200);
    const refused = await register(token);
    expect([refused.status, codeOf(refused)]).toEqual([403, 'enrollment_used_up']);
    expect((await tokenById(id)).used).toBe(1);
  });

  it('enrolls no node after its expiry or revocation; its agents stay', async () => {
    const mortal = await newToken({ expire: api.now() + HOUR_MS });
    const revoked = await newToken();
    const [one, two] = [await register(mortal.token), await register(revoked.token)];
    await api.admin.enrollment.remove({ params: { id: revoked.id } });
    api.advance(HOUR_MS);
    expect((await tokenById(mortal.id)).state).toBe('expired');
    expect(codeOf(await register(mortal.token))).toBe('token_expired');
    expect(codeOf(await register(revoked.token))).toBe('credential_invalid');
    for (const { body } of [one, two]) expect((await beat(body.data)).status).toBe(200);
    await expect(api.admin.enrollment.remove({ params: { id: revoked.id } })).rejects.toMatchObject({ status: 404 });
    const { data } = await api.admin.audit.list();
    expect(data.filter(({ action }) => action === 'enrollment.delete')).toHaveLength(1);
  });

  it('gives changed labels to the nodes that register from then on', async () => {
    const { id, token } = await newToken({ name: 'racks', labels: { site: 'north', tier: 'a' } });
    const first = await register(token);
    const { headers } = await api.admin.enrollment.get({ params: { id } }).withResponse();
    const tag = { headers: { 'If-Match': headers.get('etag') ?? '' } };
    const body = { labels: { site: 'south' } };
    const changed = await api.admin.enrollment.update({ params: { id }, body }, tag);
    expect(changed).toMatchObject({ id, name: 'racks', labels: { site: 'south' }, used: 1 });
    expect(await api.admin.enrollment.get({ params: { id } })).toEqual(changed);
    const second = await register(token);
    const labelsOf = async ({ body: { data } }: Answer) => (await agentOf(data.id, 'detail=1')).labels;
    expect([await labelsOf(first), await labelsOf(second)]).toEqual([{ site: 'north', tier: 'a' }, { site: 'south' }]);
    // The tag is that of the labels before.
    const late = api.admin.enrollment.update({ params: { id }, body: { labels: {} } }, tag);
    await expect(late).rejects.toMatchObject({ code: 'precondition_failed' });
    const [entry] = (await api.admin.audit.list({ query: { action: 'enrollment.update' } })).data;
    expect(entry).toMatchObject({
      target: { kind: 'enrollment', id },
      detail: { before: { labels: { site: 'north', tier: 'a' } }, after: { name: 'racks', labels: { site: 'south' } } },
    });
    await expect(api.admin.enrollment.update({ params: { id: 999_999 }, body })).rejects.toMatchObject({ status: 404 });
  });

  it('enrolls exactly its number of uses among concurrent requests', async () => {
    const { id, token } = await newToken({ uses: 7 });
    const node = word();
    const nodes = [...Array.from({ length: 15 }, () => word()), ...Array(15).fill(node)];
    const answers = await Promise.all(nodes.map((one) => register(token, one)));
    // The node that asked fifteen times counts once at most.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(answers.slice(15).filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(await tokenById(id)).toMatchObject({ used: 7, state: 'used_up' });
    const { db } = api.server.deps;
    expect(await db.read.prisma.agent.count({ where: { enrollmentId: id } })).toBe(7);
  });
});

describe('a known node', () => {
  it('is not taken by another token until it is offline', async () => {
    const [own, other] = [await newToken({ uses: 1 }), await newToken({ labels: { from: 'other', site: 'x' } })];
    const first = (await register(own.token, 'wanted', { ip: '192.0.2.1' })).body.data;
    await beat(first);
    const refused = await register(other.token, 'wanted');
    expect([refused.status, codeOf(refused)]).toEqual([409, 'conflict']);
    expect((await tokenById(other.id)).used).toBe(0);
    expect((await beat(first)).status).toBe(200);
    api.advance(HOUR_MS);
    const taken = (await register(other.token, 'wanted')).body.data;
    expect(taken.id).toBe(first.id);
    expect(await agentOf(first.id, 'detail=1')).toMatchObject({
      ip: '192.0.2.1',
      labels: { from: 'other', site: 'x' },
      enrollment_id: other.id,
    });
    expect((await beat(first)).status).toBe(401);
    expect((await tokenById(other.id)).used).toBe(1);
  });

  it('keeps labels that an administrator set', async () => {
    const [one, two] = [
      await newToken({ labels: { site: 'old' } }),
      await newToken({ labels: { site: 'new', b: '' } }),
    ];
    const { id } = (await register(one.token, 'kept')).body.data;
    api.advance(HOUR_MS);
    await register(two.token, 'kept');
    expect((await agentOf(id, 'detail=1')).labels).toEqual({ site: 'old', b: '' });
    const { data } = await api.admin.agent.events({ params: { id }, query: { kind: 'labels' } });
    expect(data.map(({ field, from, to }) => [field, from, to])).toEqual([['b', '', 'b']]);
  });

  it('keeps its id and history after a deletion', async () => {
    const { id: enrollment, token } = await newToken();
    const first = (await register(token, 'deleted', { ip: '192.0.2.1' })).body.data;
    await beat(first);
    await api.admin.agent.remove({ params: { id: first.id } });
    const back = (await register(token, 'deleted', { ip: '192.0.2.2' })).body.data;
    expect(back.id).toBe(first.id);
    expect((await tokenById(enrollment)).used).toBe(1);
    await beat(back);
    expect(await agentOf(first.id)).toMatchObject({ is_deleted: false, online: true, ip: '192.0.2.2' });
    expect((await history(first.id)).map(({ kind, field }) => [kind, field])).toEqual([
      ['registered', 'enrollment'],
      ['online', ''],
      ['deleted', ''],
      ['restored', ''],
      ['registered', 'enrollment'],
      ['changed', 'ip'],
      ['online', ''],
    ]);
  });
});
