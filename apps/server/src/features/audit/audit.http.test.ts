import type { AuditEntry } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { IS_THOROUGH } from '../../../../../test/thoroughness.ts';
import { record } from '../../../test/audit-entries.ts';
import { DIALECT, startApi, useApi } from '../../../test/start-api.ts';
import { userActor } from '../../../test/user-actor.ts';
import { verifyAudit } from './audit.verify.ts';

const api = useApi();

describe('the chain', () => {
  it('is intact after changes, five at the same time', async () => {
    const before = (await api.admin.audit.verify()).checked;
    const made: number[] = [];
    const makeSome = async () => {
      for (let i = 0; i < 6; i += 1) made.push((await api.admin.apiToken.create({ body: {} })).id);
    };
    await Promise.all(Array.from({ length: 5 }, makeSome));
    const { data } = await api.admin.audit.list({ query: { action: 'api_token.create', page_size: 30 } });
    expect(data.map(({ target }) => target.id).sort()).toEqual(made.sort());
    expect(await api.admin.audit.verify()).toEqual({ intact: true, checked: before + 30, broken_at: null });
  });

  it('has no gaps where writes are rolled back, and those leave no entry', async () => {
    const before = (await api.admin.audit.verify()).checked;
    const { db, audit } = api.server.deps;
    const writes = Array.from({ length: 12 }, (_, i) =>
      db.write(async (tx) => {
        await tx.prisma.setting.create({ data: { name: `written ${i}`, value: '' } });
        await audit.record(tx, { action: 'test.half', actor: 'system', target: { kind: 'test', id: i } });
        if (i % 2 === 1) throw new Error('rolled back');
      }),
    );
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(6);
    const { data, meta } = await api.admin.audit.list({ query: { action: 'test.half', page_size: 100 } });
    expect(meta.count).toBe(6);
    expect(data.every(({ target }) => target.id % 2 === 0)).toBe(true);
    expect(await api.admin.audit.verify()).toEqual({ intact: true, checked: before + 6, broken_at: null });
  });

  it.skipIf(DIALECT === 'sqlite')('is one chain for all servers', async () => {
    await using other = await startApi(api.sharing);
    const before = (await api.admin.audit.verify()).checked;
    await Promise.all(Array.from({ length: 60 }, (_, i) => record(i % 2 === 0 ? api : other)));
    expect(await other.admin.audit.verify()).toMatchObject({ intact: true, checked: before + 60 });
  });

  it('can be verified while entries are added', async () => {
    const { db, key } = api.server.deps;
    const adding = Promise.all(Array.from({ length: 20 }, () => record(api)));
    for (let i = 0; i < 8; i += 1) expect(await verifyAudit(db, key, 7)).toMatchObject({ intact: true });
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
    const actions = ['user.login', 'user.logout', 'user_group.create', 'api_token.create', 'api_tokens.x', 'user'];
    const start = Math.floor(api.now() / 1000);
    for (let i = 0; i < 60; i += 1) {
      const actor = i % 4 === 0 ? 'system' : userActor(i % 5);
      await record(api, { action: actions[i % actions.length] ?? '', actor });
      if (i % 10 === 9) api.advance(3_000);
    }
    const all = (await api.admin.audit.list({ query: { page_size: 1000 } })).data;
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort((a, b) => b - a));
    const nouns = [undefined, 'user', 'user.login', 'api_token', 'nothing', 'user.', 'us%', 'a\u0000b', '*', '.'];
    const times = [undefined, start + 4, start + 9];
    const queries = nouns.flatMap((action) =>
      [undefined, 0, 3, 99].flatMap((actor_id) =>
        times.flatMap((start_time) => times.map((end_time) => ({ action, actor_id, start_time, end_time }))),
      ),
    );
    for (const query of nonEmpty(queries.filter((_, i) => IS_THOROUGH || i % 7 === 0))) {
      const { action, actor_id, start_time, end_time } = query;
      const wanted = all.filter(
        (entry: AuditEntry) =>
          (action === undefined || entry.action === action || fitsNoun(entry, action)) &&
          (actor_id === undefined || entry.actor.id === actor_id) &&
          (start_time === undefined || entry.time >= start_time) &&
          (end_time === undefined || Math.floor(entry.time) <= end_time),
      );
      const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
      const { data, meta } = await api.admin.audit.list({ query: { ...given, page_size: 7, page: 2 } });
      expect(meta.count).toBe(wanted.length);
      expect(data).toEqual(wanted.slice(7, 14));
    }
  });

  const fitsNoun = (entry: AuditEntry, noun: string) => !noun.includes('.') && entry.action.startsWith(`${noun}.`);

  it('accepts every time', async () => {
    const query = { start_time: 0, end_time: Number.MAX_SAFE_INTEGER, page_size: 0 };
    expect((await api.admin.audit.list({ query })).meta.count).toBeGreaterThan(0);
    expect((await api.admin.audit.list({ query: { start_time: Number.MAX_SAFE_INTEGER } })).meta.count).toBe(0);
  });
});
