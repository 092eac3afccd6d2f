// The check of the audit log that runs all the time, with somebody who changes the database and lacks the key.
import { statement } from '@quarterdeck/core/db';
import { beforeEach, describe, expect, it } from 'vitest';
import { idsAfter, record, recordMany } from '../../../test/audit-entries.ts';
import { useApi } from '../../../test/start-api.ts';
import { trimAudit } from './audit.service.ts';
import { type AuditWatch, createAuditWatch } from './audit.watch.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const api = useApi();
let watch: AuditWatch;
beforeEach(() => {
  watch = createAuditWatch(api.server.deps);
});

const change = (text: string, ...values: (string | number)[]) =>
  api.server.deps.db.write((tx) => tx.sql.run(statement(text), ...values));
/** Puts another address into an entry; returns a function that puts the former one back. */
async function tamper(id: number): Promise<() => Promise<unknown>> {
  const { address } = await api.server.deps.db.read.prisma.audit.findUniqueOrThrow({ where: { id } });
  const setAddress = (value: string) => change('UPDATE audit SET address = ? WHERE id = ?', value, id);
  await setAddress('192.0.2.66');
  return () => setAddress(address);
}
const newest = async () => (await idsAfter(api, 0)).at(-1) ?? 0;

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
    const mend = await tamper(id);
    await record(api);
    expect(await verdictAfter(MINUTE_MS)).toMatchObject({ intact: true });
    expect(await verdictAfter(3 * MINUTE_MS)).toMatchObject({ intact: false, broken_at: id });
    await mend();
    expect(await verdictAfter(3 * MINUTE_MS)).toMatchObject({ intact: true, broken_at: null });
  });

  it('verifies old entries once a day', async () => {
    await record(api);
    expect(await verdictAfter(0)).toMatchObject({ intact: true });
    const [oldest = 0] = await idsAfter(api, 0);
    const mend = await tamper(oldest);
    expect(await verdictAfter(4 * MINUTE_MS)).toMatchObject({ intact: true });
    expect(await verdictAfter(DAY_MS)).toMatchObject({ intact: false, broken_at: oldest });
    await mend();
  });

  it('detects that the newest entries were removed, or the head', async () => {
    await record(api);
    const id = await newest();
    const { prisma } = api.server.deps.db.read;
    const entry = await prisma.audit.findUniqueOrThrow({ where: { id } });
    const head = await prisma.setting.findUniqueOrThrow({ where: { name: 'audit_head' } });
    await change('DELETE FROM audit WHERE id = ?', id);
    expect(await verdictAfter(0)).toMatchObject({ intact: false, broken_at: id });
    await change("DELETE FROM setting WHERE name = 'audit_head'");
    expect(await verdictAfter(3 * MINUTE_MS)).toMatchObject({ intact: false });
    await api.server.deps.db.write(async (tx) => {
      await tx.prisma.audit.create({ data: entry });
      await tx.prisma.setting.create({ data: head });
    });
  });

  it('follows retention, also past the entries that it has verified', async () => {
    await verdictAfter(0);
    for (let i = 0; i < 5; i += 1) await record(api);
    const { db, key, audit } = api.server.deps;
    const removed = await db.write((tx) => trimAudit(tx, { key, audit }, Number.MAX_SAFE_INTEGER, 10_000));
    expect(removed).toBeGreaterThan(5);
    expect(await verdictAfter(3 * MINUTE_MS)).toMatchObject({ intact: true, broken_at: null });
  });

  it('verifies a long log in several runs, and has no verdict before the last one', async () => {
    await recordMany(api, 510);
    const slow = createAuditWatch(api.server.deps, 1);
    const verdicts: unknown[] = [];
    while (verdicts.at(-1) === undefined) {
      await slow.run();
      verdicts.push(slow.verdict());
    }
    expect(verdicts.length).toBeGreaterThan(1);
    expect(verdicts.at(-1)).toMatchObject({ intact: true, broken_at: null });
  });
});
