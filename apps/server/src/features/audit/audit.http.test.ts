import type { Actor, AuditEntry } from '@quarterdeck/core';
import { statement } from '@quarterdeck/core/db';
import { createClient } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIALECT, startApi, type TestApi } from '../../../test/start-api.ts';
import type { AuditDraft } from './audit.log.ts';
import { verifyAudit } from './audit.verify.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const record = ({ server }: TestApi, draft: Partial<AuditDraft> = {}) =>
  server.deps.db.write((tx) => server.deps.audit.record(tx, { action: 'test.done', actor: 'system', ...draft }));

const change = ({ server }: TestApi, text: string, ...values: (string | number)[]) =>
  server.deps.db.write((tx) => tx.sql.run(statement(text), ...values));

const userActor = (userId: number): Actor => ({
  kind: 'user',
  userId,
  username: `user ${userId}`,
  role: 'viewer',
  permissions: [],
  secondFactor: false,
  mustSetUpSecondFactor: false,
  scopes: null,
  credential: { kind: 'session', id: userId * 10, expireMs: 0 },
});

describe('the chain', () => {
  it('is intact after 200 changes at the same time', async () => {
    await using own = await startApi();
    const before = (await own.admin.audit.list()).meta.count;
    const made = await Promise.all(
      Array.from({ length: 200 }, (_, i) => own.admin.apiToken.create({ body: { name: `token ${i}` } })),
    );
    const { data, meta } = await own.admin.audit.list({ query: { action: 'api_token', page_size: 300 } });
    expect(meta.count).toBe(200);
    expect(new Set(data.map(({ target }) => target.id))).toEqual(new Set(made.map(({ id }) => id)));
    const verdict = await own.admin.audit.verify();
    expect(verdict).toEqual({ intact: true, checked: before + 200, broken_at: null });
  });

  it('has no gaps where writes are rolled back, and those leave no entry', async () => {
    const before = (await api.admin.audit.verify()).checked;
    const { db, audit } = api.server.deps;
    const writes = Array.from({ length: 40 }, (_, i) =>
      db.write(async (tx) => {
        await tx.prisma.setting.create({ data: { name: `written ${i}`, value: '' } });
        await audit.record(tx, { action: 'test.half', actor: 'system', target: { kind: 'test', id: i } });
        if (i % 2 === 1) throw new Error('rolled back');
      }),
    );
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(20);
    const { data, meta } = await api.admin.audit.list({ query: { action: 'test.half', page_size: 100 } });
    expect(meta.count).toBe(20);
    expect(data.every(({ target }) => target.id % 2 === 0)).toBe(true);
    expect(await api.admin.audit.verify()).toEqual({ intact: true, checked: before + 20, broken_at: null });
  });

  it.skipIf(DIALECT === 'sqlite')('is one chain for all servers', async () => {
    await using other = await startApi(api.sharing);
    const before = (await api.admin.audit.verify()).checked;
    await Promise.all(Array.from({ length: 60 }, (_, i) => record(i % 2 === 0 ? api : other)));
    expect(await other.admin.audit.verify()).toMatchObject({ intact: true, checked: before + 60 });
  });

  it('is checked while entries are added', async () => {
    const { db, key } = api.server.deps;
    const adding = Promise.all(Array.from({ length: 50 }, () => record(api)));
    for (let i = 0; i < 20; i += 1) expect(await verifyAudit(db, key, 7)).toMatchObject({ intact: true });
    await adding;
    expect((await verifyAudit(db, key, 7)).checked).toBe((await api.admin.audit.list()).meta.count);
  });
});

describe('what somebody does behind our back', () => {
  const FIELDS = [
    ...['time_ms', 'action', 'actor_kind', 'actor_id', 'actor_name', 'credential', 'address', 'request_id'],
    ...['target_kind', 'target_id', 'detail', 'previous', 'hash'],
  ];
  const NUMBERS = new Set(['time_ms', 'actor_id', 'target_id']);

  let own: TestApi;
  let last: number;
  beforeAll(async () => {
    own = await startApi();
    const request = { id: 'request', address: '192.0.2.1', client: 'test' };
    for (let i = 0; i < 8; i += 1) {
      await record(own, { actor: userActor(i), request, target: { kind: 'test', id: i }, detail: { i } });
    }
    last = (await own.admin.audit.verify()).checked;
  });
  afterAll(() => own[Symbol.asyncDispose]());

  /** Does something, looks at the verdict, and puts everything back. */
  async function verdictAfter(tamper: () => Promise<unknown>) {
    const { db } = own.server.deps;
    const entries = await db.read.prisma.audit.findMany();
    const head = await db.read.prisma.setting.findMany({ where: { name: 'audit_head' } });
    await tamper();
    const verdict = await own.admin.audit.verify();
    await db.write(async (tx) => {
      await tx.prisma.audit.deleteMany();
      await tx.prisma.audit.createMany({ data: entries });
      await tx.prisma.setting.deleteMany({ where: { name: 'audit_head' } });
      await tx.prisma.setting.createMany({ data: head });
    });
    expect(await own.admin.audit.verify()).toEqual({ intact: true, checked: last, broken_at: null });
    return verdict;
  }

  it.each(FIELDS)('shows when %s of any entry is changed', async (field) => {
    for (let id = 1; id <= last; id += 1) {
      const set = NUMBERS.has(field) ? `${field} = ${field} + 1` : `${field} = ${field} || 'x'`;
      const verdict = await verdictAfter(() => change(own, `UPDATE audit SET ${set} WHERE id = ?`, id));
      expect(verdict).toEqual({ intact: false, checked: id - 1, broken_at: id });
    }
  });

  it('shows when any entry is taken out, the first and the newest ones too', async () => {
    for (let id = 1; id <= last; id += 1) {
      const verdict = await verdictAfter(() => change(own, 'DELETE FROM audit WHERE id = ?', id));
      expect(verdict).toEqual({ intact: false, checked: id - 1, broken_at: id });
    }
    const all = await verdictAfter(() => change(own, 'DELETE FROM audit'));
    expect(all).toEqual({ intact: false, checked: 0, broken_at: 1 });
  });

  it('shows when two entries are swapped, as they are or with their hashes', async () => {
    const ids = (a: number, b: number) => change(own, 'UPDATE audit SET id = ? WHERE id = ?', b, a);
    const swapped = await verdictAfter(async () => {
      await ids(3, 1000);
      await ids(4, 3);
      await ids(1000, 4);
    });
    expect(swapped).toEqual({ intact: false, checked: 2, broken_at: 3 });
    const FIELDS_OF_PLACE = new Set(['id', 'previous', 'hash']);
    const contents = FIELDS.filter((field) => !FIELDS_OF_PLACE.has(field)).map(
      (field) => `${field} = (SELECT other.${field} FROM audit other WHERE other.id = 7 - audit.id)`,
    );
    const mixed = await verdictAfter(() => change(own, `UPDATE audit SET ${contents.join(', ')} WHERE id IN (3, 4)`));
    expect(mixed).toEqual({ intact: false, checked: 2, broken_at: 3 });
  });

  it('shows when an entry is put in, or given another id', async () => {
    const copy = (id: number) =>
      change(
        own,
        `INSERT INTO audit (id, ${FIELDS.join(', ')}) SELECT CAST(? AS integer), ${FIELDS.join(', ')} FROM audit WHERE id = 3`,
        id,
      );
    expect(await verdictAfter(() => copy(last + 1))).toEqual({ intact: false, checked: last, broken_at: last + 1 });
    expect(await verdictAfter(() => copy(0))).toEqual({ intact: false, checked: 0, broken_at: 1 });
    expect(await verdictAfter(() => copy(-5))).toEqual({ intact: false, checked: 0, broken_at: 1 });
    const moved = await verdictAfter(() => change(own, 'UPDATE audit SET id = id + 1 WHERE id = ?', last));
    expect(moved).toEqual({ intact: false, checked: last - 1, broken_at: last });
  });

  it('shows when the end is changed or taken out', async () => {
    const end = { intact: false, checked: last, broken_at: last + 1 };
    expect(await verdictAfter(() => change(own, "DELETE FROM setting WHERE name = 'audit_head'"))).toEqual(end);
    const forged = await verdictAfter(async () => {
      await change(own, 'DELETE FROM audit WHERE id = ?', last);
      const { hash } = await own.server.deps.db.read.prisma.audit.findUniqueOrThrow({ where: { id: last - 1 } });
      const value = `${last - 1}:${hash}:${'0'.repeat(64)}`;
      await change(own, "UPDATE setting SET value = ? WHERE name = 'audit_head'", value);
    });
    expect(forged).toEqual({ intact: false, checked: last - 1, broken_at: last });
  });

  it('shows for good: later entries do not cover it, and are not kept from being written', async () => {
    const taken = await verdictAfter(async () => {
      await change(own, 'DELETE FROM audit WHERE id = ?', last);
      await record(own);
    });
    expect(taken).toEqual({ intact: false, checked: last - 1, broken_at: last });
    const headless = await verdictAfter(async () => {
      await change(own, 'DELETE FROM audit WHERE id = ?', last);
      await change(own, "DELETE FROM setting WHERE name = 'audit_head'");
      await record(own);
      await record(own);
    });
    expect(headless).toEqual({ intact: false, checked: last - 1, broken_at: last });
    const forged = await verdictAfter(async () => {
      await change(own, 'DELETE FROM audit');
      await change(own, "UPDATE setting SET value = '1' WHERE name = 'audit_head'");
      await record(own);
    });
    expect(forged).toEqual({ intact: false, checked: 0, broken_at: 1 });
    const crowded = await verdictAfter(async () => {
      await change(own, 'UPDATE audit SET id = ? WHERE id = 3', last + 1);
      await record(own);
    });
    expect(crowded).toEqual({ intact: false, checked: 2, broken_at: 3 });
  });
});

describe('GET /admin-api/audit', () => {
  it('says who did what, from where and to what', async () => {
    const { id } = await api.admin.apiToken.create({ body: { name: 'seen' } });
    const [entry] = (await api.admin.audit.list({ query: { action: 'api_token.create', page_size: 1 } })).data;
    expect(entry).toMatchObject({
      action: 'api_token.create',
      actor: { kind: 'user', id: 1, name: 'admin', credential: expect.stringMatching(/^session:\d+$/) },
      target: { kind: 'api_token', id },
      request_id: expect.stringMatching(/./),
    });
    expect(entry?.actor.address).toMatch(/127\.0\.0\.1$/);
    expect(entry?.time).toBeCloseTo(api.now() / 1000, -1);
  });

  it('is narrowed by action, noun, actor and time as a filter over all entries would', async () => {
    await using own = await startApi();
    const actions = ['user.login', 'user.logout', 'user_group.create', 'api_token.create', 'api_tokens.x', 'user'];
    const start = Math.floor(own.now() / 1000);
    for (let i = 0; i < 60; i += 1) {
      await record(own, {
        action: actions[i % actions.length] ?? '',
        actor: i % 4 === 0 ? 'system' : userActor(i % 5),
      });
      if (i % 10 === 9) own.advance(3_000);
    }
    const all = (await own.admin.audit.list({ query: { page_size: 1000 } })).data;
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort((a, b) => b - a));
    const times = [undefined, start + 4, start + 9];
    for (const action of [
      undefined,
      'user',
      'user.login',
      'api_token',
      'nothing',
      'user.',
      'us%',
      'a\u0000b',
      '*',
      '.',
    ]) {
      for (const actor_id of [undefined, 0, 3, 99]) {
        for (const start_time of times) {
          for (const end_time of times) {
            const fits = (entry: AuditEntry) =>
              (action === undefined || entry.action === action || fitsNoun(entry, action)) &&
              (actor_id === undefined || entry.actor.id === actor_id) &&
              (start_time === undefined || entry.time >= start_time) &&
              (end_time === undefined || Math.floor(entry.time) <= end_time);
            const wanted = all.filter(fits);
            const query = { action, actor_id, start_time, end_time, page_size: 7, page: 2 };
            const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
            const { data, meta } = await own.admin.audit.list({ query: given });
            expect(meta.count).toBe(wanted.length);
            expect(data).toEqual(wanted.slice(7, 14));
          }
        }
      }
    }
  });

  const fitsNoun = (entry: AuditEntry, noun: string) => !noun.includes('.') && entry.action.startsWith(`${noun}.`);

  it('takes any time there is', async () => {
    const query = { start_time: 0, end_time: Number.MAX_SAFE_INTEGER, page_size: 0 };
    expect((await api.admin.audit.list({ query })).meta.count).toBeGreaterThan(0);
    expect((await api.admin.audit.list({ query: { start_time: Number.MAX_SAFE_INTEGER } })).meta.count).toBe(0);
  });
});

describe('a refusal', () => {
  it('is written down once a minute for each caller and endpoint', async () => {
    await using own = await startApi();
    const denied = async () => (await own.admin.audit.list({ query: { action: 'request.denied' } })).data;
    const [viewer, other] = [await own.person('viewer'), await own.person('viewer')];
    const refuse = async ({ client }: typeof viewer) => {
      await expect(client.audit.list()).rejects.toMatchObject({ status: 403 });
    };
    for (let i = 0; i < 10; i += 1) await refuse(viewer);
    await expect(viewer.client.user.get({ params: { id: 1 } })).rejects.toMatchObject({ status: 403 });
    await refuse(other);
    await expect.poll(async () => (await denied()).length).toBe(3);
    const entries = (await denied()).toReversed();
    expect(entries.map(({ actor, detail }) => [actor.id, detail])).toEqual([
      [viewer.id, { method: 'GET', path: '/admin-api/audit', code: 'forbidden' }],
      [viewer.id, { method: 'GET', path: '/admin-api/user/{id}', code: 'forbidden' }],
      [other.id, { method: 'GET', path: '/admin-api/audit', code: 'forbidden' }],
    ]);
    expect(entries[0]?.actor).toMatchObject({ kind: 'user', name: viewer.username });
    expect(entries[0]?.actor.address).toMatch(/127\.0\.0\.1$/);

    own.advance(61_000);
    await refuse(viewer);
    await expect.poll(async () => (await denied()).length).toBe(4);
    expect((await own.admin.audit.verify()).intact).toBe(true);
  });

  it('is written down for an agent and for an API token', async () => {
    await using own = await startApi();
    const agent = await own.agent();
    await expect(agent.client.audit.list()).rejects.toMatchObject({ status: 403 });
    const { id, token } = await own.admin.apiToken.create({ body: { scopes: ['errlog:read'] } });
    const client = createClient({ url: own.url, apiToken: token });
    await expect(client.audit.list()).rejects.toMatchObject({ status: 403, code: 'scope_missing' });
    const list = () => own.admin.audit.list({ query: { action: 'request.denied' } });
    await expect.poll(async () => (await list()).meta.count).toBe(2);
    const [byToken, byAgent] = (await list()).data;
    expect(byAgent?.actor).toMatchObject({ kind: 'agent', id: agent.id });
    expect(byToken).toMatchObject({
      actor: { id: 1, credential: `api_token:${id}` },
      detail: { code: 'scope_missing' },
    });
  });

  it('of an unknown caller is not written down', async () => {
    await using own = await startApi();
    const before = (await own.admin.audit.list()).meta.count;
    expect((await own.fetch('/admin-api/audit')).status).toBe(401);
    expect((await own.fetch('/admin-api/audit', { headers: { 'API-Token': 'made up' } })).status).toBe(401);
    // What is refused to somebody known afterwards is written, and nothing before it.
    const { client } = await own.person('viewer');
    const signedIn = (await own.admin.audit.list()).meta.count;
    await expect(client.audit.verify()).rejects.toMatchObject({ status: 403 });
    await expect.poll(async () => (await own.admin.audit.list()).meta.count).toBe(signedIn + 1);
    const { data } = await own.admin.audit.list({ query: { page_size: signedIn + 1 - before } });
    expect(data.map(({ action }) => action).filter((action) => !action.startsWith('user.'))).toEqual([
      'request.denied',
    ]);
  });
});
