// Old entries go, and the chain stays whole without them.
import { statement } from '@quarterdeck/core/db';
import { beforeEach, describe, expect, it } from 'vitest';
import { idsAfter, record, recordMany } from '../../../test/audit-entries.ts';
import { DIALECT, startApi, useApi } from '../../../test/start-api.ts';
import { keptSinceMs } from './audit.service.ts';
import { verifyAudit } from './audit.verify.ts';

const DAY_MS = 86_400_000;

const api = useApi({ AUDIT_DAYS: '30' });

// By way of the parts: after some weeks nobody is signed in any more.
const verify = (slice?: number) => verifyAudit(api.server.deps.db, api.server.deps.key, slice);
const ids = () => idsAfter(api, 0);
const change = (text: string, ...values: (string | number)[]) =>
  api.server.deps.db.write((tx) => tx.sql.run(statement(text), ...values));
const trims = () => api.server.deps.db.read.prisma.audit.findMany({ where: { action: 'audit.trim' } });

/** Entries of 40 days ago and earlier, then some of now; returns the ids of the first and of the last old one. */
async function ageLog(): Promise<{ first: number; old: number }> {
  await recordMany(api, 6);
  const all = await ids();
  api.advance(40 * DAY_MS);
  await recordMany(api, 3);
  return { first: all[0] ?? 0, old: all.at(-1) ?? 0 };
}

describe('retention', () => {
  it('removes old entries, records it, and keeps the chain intact', async () => {
    const { first, old } = await ageLog();
    await api.server.jobs.runAll();
    expect(await ids()).toEqual([1, 2, 3, 4].map((n) => old + n));
    expect(await verify()).toEqual({ intact: true, checked: 4, broken_at: null });
    const [entry] = await trims();
    expect(entry).toMatchObject({ id: old + 4, actorKind: 'system' });
    expect(JSON.parse(entry?.detail ?? '')).toEqual({ removed: old - first + 1, up_to: old });
    const { client } = await api.person('master');
    expect((await client.audit.list()).meta.count).toBe((await ids()).length);

    // Nothing is old any more, then something is again.
    await api.server.jobs.runAll();
    expect(await trims()).toHaveLength(1);
    api.advance(40 * DAY_MS);
    await record(api);
    await api.server.jobs.runAll();
    expect(await ids()).toHaveLength(2);
    expect(await verify()).toEqual({ intact: true, checked: 2, broken_at: null });
  });

  it('may remove all entries', async () => {
    api.advance(40 * DAY_MS);
    await api.server.jobs.runAll();
    expect(await ids()).toHaveLength(1);
    expect(await verify()).toEqual({ intact: true, checked: 1, broken_at: null });
  });

  it('keeps a tampered entry and all after it', async () => {
    const { first } = await ageLog();
    const all = await ids();
    const id = first + 3;
    await change("UPDATE audit SET actor_name = 'x' || actor_name WHERE id = ?", id);
    await expect(api.server.jobs.runAll()).rejects.toThrow(`the audit log is broken at entry ${id}`);
    expect(await ids()).toEqual(all);
    expect(await verify()).toEqual({ intact: false, checked: 3, broken_at: id });
    await change('UPDATE audit SET actor_name = substr(actor_name, 2) WHERE id = ?', id);
  });

  it('does not break a verification that is under way', async () => {
    await ageLog();
    let begun: Promise<void> | undefined;
    const { db, key } = api.server.deps;
    const reads = {
      ...db.read,
      sql: {
        ...db.read.sql,
        get: db.read.sql.get.bind(db.read.sql),
        async all(...given: Parameters<typeof db.read.sql.all>) {
          const rows = await db.read.sql.all(...given);
          begun ??= api.server.jobs.runAll();
          await begun;
          return rows;
        },
      },
    } as typeof db.read;
    expect(await verifyAudit({ ...db, read: reads }, key, 2)).toEqual({ intact: true, checked: 4, broken_at: null });
  });

  it.skipIf(DIALECT === 'sqlite')('removes entries once with several servers', async () => {
    const { first, old } = await ageLog();
    await using other = await startApi({ ...api.sharing, AUDIT_DAYS: '30' }, { startMs: api.now() });
    await Promise.all([api, other, api, other].map(({ server }) => server.jobs.runAll()));
    const removed = (await trims()).map(({ detail }) => JSON.parse(detail).removed);
    expect(removed).toEqual([old - first + 1]);
    expect((await verify()).intact).toBe(true);
  });

  it('keeps all entries by default', async () => {
    await using own = await startApi();
    own.advance(40_000 * DAY_MS);
    await own.server.jobs.runAll();
    expect(await own.server.deps.db.read.prisma.audit.count({ where: { id: 1 } })).toBe(1);
  });
});

describe('a trimmed log', () => {
  let first: number;
  beforeEach(async () => {
    first = (await ageLog()).old + 1;
    await api.server.jobs.runAll();
  });

  it('detects a removed first entry, and removed entries that return', async () => {
    const { db } = api.server.deps;
    const row = await db.read.prisma.audit.findUniqueOrThrow({ where: { id: first } });
    await change('DELETE FROM audit WHERE id = ?', first);
    expect(await verify()).toEqual({ intact: false, checked: 0, broken_at: first });
    await db.write((tx) => tx.prisma.audit.createMany({ data: [row, { ...row, id: 1 }] }));
    expect(await verify()).toEqual({ intact: false, checked: 0, broken_at: first });
    await change('DELETE FROM audit WHERE id = 1');
    expect((await verify()).intact).toBe(true);
  });

  it('detects a moved, forged or missing start', async () => {
    const { prisma } = api.server.deps.db.read;
    const row = await prisma.audit.findUniqueOrThrow({ where: { id: first } });
    const { hash } = row;
    const { value } = await prisma.setting.findUniqueOrThrow({ where: { name: 'audit_start' } });
    const set = (text: string) => change("UPDATE setting SET value = ? WHERE name = 'audit_start'", text);
    await change('DELETE FROM audit WHERE id = ?', first);
    await set(`${first}:${hash}:${value.split(':')[2]}`);
    expect((await verify()).intact).toBe(false);
    // The seal of the other end does not do for this one.
    await set((await prisma.setting.findUniqueOrThrow({ where: { name: 'audit_head' } })).value);
    expect((await verify()).intact).toBe(false);
    await change("DELETE FROM setting WHERE name = 'audit_start'");
    expect(await verify()).toEqual({ intact: false, checked: 0, broken_at: 1 });
    await api.server.deps.db.write(async (tx) => {
      await tx.prisma.audit.create({ data: row });
      await tx.prisma.setting.create({ data: { name: 'audit_start', value } });
    });
    expect((await verify()).intact).toBe(true);
  });
});

it('is cut at whole days', () => {
  const noon = Date.UTC(2030, 4, 20, 12);
  expect(keptSinceMs(noon, 30)).toBe(Date.UTC(2030, 3, 20));
  expect(keptSinceMs(noon + DAY_MS / 2 - 1, 30)).toBe(Date.UTC(2030, 3, 20));
  expect(keptSinceMs(noon + DAY_MS / 2, 30)).toBe(Date.UTC(2030, 3, 21));
});
