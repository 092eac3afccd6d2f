import type { AuditEntry } from '@quarterdeck/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { record } from '../../../test/audit-entries.ts';
import { DIALECT, startApi, type TestApi } from '../../../test/start-api.ts';
import { userActor } from '../../../test/user-actor.ts';
import { verifyAudit } from './audit.verify.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

describe('the chain', () => {
  it('is intact after 200 changes, ten at the same time', async () => {
    await using own = await startApi();
    const before = (await own.admin.audit.list()).meta.count;
    const made: { id: number }[] = [];
    const makeTwenty = async (lane: number) => {
      for (let i = 0; i < 20; i += 1) {
        made.push(await own.admin.apiToken.create({ body: { name: `token ${lane}.${i}` } }));
      }
    };
    // As many at once as there are connections to PostgreSQL: more would only wait, and on a busy machine be told so.
    await Promise.all(Array.from({ length: 10 }, (_, lane) => makeTwenty(lane)));
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

  it('can be verified while entries are added', async () => {
    const { db, key } = api.server.deps;
    const adding = Promise.all(Array.from({ length: 50 }, () => record(api)));
    for (let i = 0; i < 20; i += 1) expect(await verifyAudit(db, key, 7)).toMatchObject({ intact: true });
    await adding;
    expect((await verifyAudit(db, key, 7)).checked).toBe((await api.admin.audit.list()).meta.count);
  });
});

describe('GET /admin-api/audit', () => {
  it('lists actor, action, address and target', async () => {
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

  it('filters by action, noun, actor and time like a filter over all entries', async () => {
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

  it('accepts every time', async () => {
    const query = { start_time: 0, end_time: Number.MAX_SAFE_INTEGER, page_size: 0 };
    expect((await api.admin.audit.list({ query })).meta.count).toBeGreaterThan(0);
    expect((await api.admin.audit.list({ query: { start_time: Number.MAX_SAFE_INTEGER } })).meta.count).toBe(0);
  });
});
