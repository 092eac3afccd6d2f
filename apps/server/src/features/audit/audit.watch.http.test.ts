// The check of the audit log that runs all the time, with somebody who changes the database and lacks the key.
import { statement } from '@quarterdeck/core/db';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { record } from '../../../test/audit-entries.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';
import { trimAudit } from './audit.trim.ts';
import { type AuditWatch, createAuditWatch } from './audit.watch.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let api: TestApi;
let watch: AuditWatch;
beforeEach(async () => {
  api = await startApi();
  watch = createAuditWatch(api.server.deps);
});
afterEach(() => api[Symbol.asyncDispose]());

const change = (text: string, ...values: (string | number)[]) =>
  api.server.deps.db.write((tx) => tx.sql.run(statement(text), ...values));
const setAddress = (id: number, address: string) => change('UPDATE audit SET address = ? WHERE id = ?', address, id);
const newest = async () => (await api.admin.audit.list()).data[0]?.id ?? 0;

async function verdictAfter(ms: number) {
  api.advance(ms);
  await watch.run();
  return watch.verdict();
}

describe('the watch over the audit log', () => {
  it('verifies new entries every few minutes, and tells when they are mended', async () => {
    expect(watch.verdict()).toBeUndefined();
    expect(await verdictAfter(0)).toMatchObject({ intact: true, broken_at: null });
    await record(api);
    const id = await newest();
    const { address = '' } = (await api.server.deps.db.read.prisma.audit.findUnique({ where: { id } })) ?? {};
    await setAddress(id, '192.0.2.66');
    await record(api);
    expect(await verdictAfter(MINUTE_MS)).toMatchObject({ intact: true });
    expect(await verdictAfter(3 * MINUTE_MS)).toMatchObject({ intact: false, broken_at: id });
    await setAddress(id, address);
    expect(await verdictAfter(3 * MINUTE_MS)).toEqual({ intact: true, checked: id + 1, broken_at: null });
  });

  it('verifies old entries once a day', async () => {
    await record(api);
    expect(await verdictAfter(0)).toMatchObject({ intact: true });
    await setAddress(1, '192.0.2.66');
    expect(await verdictAfter(4 * MINUTE_MS)).toMatchObject({ intact: true });
    expect(await verdictAfter(DAY_MS)).toMatchObject({ intact: false, broken_at: 1 });
  });

  it('detects that the newest entries were removed, or the head', async () => {
    await record(api);
    const id = await newest();
    await change('DELETE FROM audit WHERE id = ?', id);
    expect(await verdictAfter(0)).toMatchObject({ intact: false, broken_at: id });
    await change("DELETE FROM setting WHERE name = 'audit_head'");
    expect(await verdictAfter(3 * MINUTE_MS)).toMatchObject({ intact: false });
  });

  it('follows retention, also past the entries that it has verified', async () => {
    await verdictAfter(0);
    for (let i = 0; i < 5; i += 1) await record(api);
    const { db, key, audit } = api.server.deps;
    const removed = await db.write((tx) => trimAudit(tx, { key, audit }, Number.MAX_SAFE_INTEGER, 100));
    expect(removed).toBeGreaterThan(5);
    expect(await verdictAfter(3 * MINUTE_MS)).toEqual({ intact: true, checked: await newest(), broken_at: null });
  });

  it('verifies a long log in several runs, and has no verdict before the last one', async () => {
    const { db, audit } = api.server.deps;
    await db.write(async (tx) => {
      for (let i = 0; i < 1_200; i += 1) await audit.record(tx, { action: 'test.done', actor: 'system' });
    });
    const slow = createAuditWatch(api.server.deps, 1);
    const verdicts: unknown[] = [];
    for (let i = 0; i < 3; i += 1) {
      await slow.run();
      verdicts.push(slow.verdict());
    }
    expect(verdicts).toEqual([undefined, undefined, { intact: true, checked: await newest(), broken_at: null }]);
  });
});
