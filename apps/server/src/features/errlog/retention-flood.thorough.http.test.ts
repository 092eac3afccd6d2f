// Retention by size: of a server with a limit, and while lines arrive faster than it removes them.
import { randomBytes } from 'node:crypto';
import type { Database } from '@quarterdeck/core/db';
import { errlogStore } from '@quarterdeck/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectTrueCounters } from '../../../test/errlog-counters.ts';
import { DIALECT, startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';
import { createRetention } from './errlog.retention.ts';

const MAX_MB = 6;
const LINES = 250;

let api: TestApi;
beforeEach(async () => {
  // A bound keeps the files beside the database small.
  api = await startApi({ ERRLOG_MAX_MB: '10' });
});
afterEach(() => api[Symbol.asyncDispose]());

/** Text that cannot be compressed to less than half. */
const noise = (length: number) => randomBytes(length / 2).toString('hex');
const now = () => Math.floor(api.now() / 1000);

async function append(count: number, line: (i: number) => { log: string; app_id: number; log_time?: number }) {
  const body = Array.from({ length: count }, (_, i) => ({ level: 4, ...line(i) }));
  await api.admin.errlog.append({ body });
}

/** Lines of half a megabyte, all of one group. */
const flood = () => append(LINES, () => ({ log: `flood: ${noise(4_000)}`, app_id: 1 }));

/** Retention into whose database something arrives after each of its writes. */
function retentionAmid(arrive: () => Promise<unknown>) {
  const { db } = api.server.deps;
  const busy: Database = {
    ...db,
    async write(work, options) {
      const result = await db.write(work, options);
      await arrive();
      return result;
    },
  };
  return createRetention(busy, { groupDays: 0, occurrenceDays: 0, maxMb: MAX_MB }, api.now);
}

describe('retention by size in a flood', () => {
  it('removes lines, and no group that lines could make room for', async () => {
    const quiet = Array.from({ length: 20 }, word);
    await append(quiet.length, (i) => ({ log: `${quiet[i]} failed`, app_id: 2, log_time: now() - 3_600 }));
    let floods = 0;
    const arrive = async () => {
      floods += 1;
      await flood();
    };
    for (let n = 0; n < 12; n += 1) await arrive();
    const retention = retentionAmid(arrive);
    const never = () => false;
    const reports = [await retention.shrink(never), await retention.shrink(never)];
    expect(reports.map(({ groups }) => groups)).toEqual([0, 0]);
    expect(reports[0]?.lines).toBeGreaterThan(0);
    const { data } = await api.admin.errlog.list({ query: { app_id: 2, page_size: 100 } });
    expect(data).toHaveLength(quiet.length);
    const [flooded, ...more] = (await api.admin.errlog.list({ query: { app_id: 1 } })).data;
    expect(more).toEqual([]);
    expect(flooded?.count).toBe(floods * LINES);
    // One flood has arrived since the last write.
    expect(await errlogStore(api.server.deps.db).sizeBytes()).toBeLessThan((MAX_MB + 1) * 1_000_000);
    await expectTrueCounters(api.server.deps.db, { whole: false });
  });

  it('removes groups that are too large without lines', async () => {
    // The server has a limit of its own, and would count what it removes itself.
    await api.server.jobs.stop();
    const groups = 3_000;
    for (let done = 0; done < groups; done += 1_000) {
      await append(1_000, (i) => ({
        log: `${word()} ${'x'.repeat(900)}`,
        app_id: 2,
        log_time: now() - groups + done + i,
      }));
    }
    const report = await retentionAmid(flood).shrink(() => false);
    expect(report.groups).toBeGreaterThan(0);
    const left = await api.admin.errlog.list({ query: { app_id: 2 } });
    expect(left.meta.count).toBe(groups - report.groups);
    expect(left.meta.count).toBeGreaterThan(0);
    expect(await errlogStore(api.server.deps.db).sizeBytes()).toBeLessThan((MAX_MB + 1) * 1_000_000);
    await expectTrueCounters(api.server.deps.db, { whole: false });
  });

  it.skipIf(DIALECT === 'postgresql')('keeps groups where other data takes the space', async () => {
    await append(500, (i) => ({ log: `${word()} failed`, app_id: 2, log_time: now() - 3_600 + i }));
    const { db } = api.server.deps;
    // Entries of the audit log, which has limits of its own.
    const entry = { timeMs: 0n, action: 'test.large', actorKind: 'system', previous: '', hash: '' };
    const data = Array.from({ length: 80 }, () => ({ ...entry, detail: JSON.stringify(noise(100_000)) }));
    await db.write((tx) => tx.prisma.audit.createMany({ data }));
    const report = await retentionAmid(flood).shrink(() => false);
    expect(report.groups).toBe(0);
    expect((await api.admin.errlog.list({ query: { app_id: 2 } })).meta.count).toBe(500);
  });
});

describe('QUARTERDECK_ERRLOG_MAX_MB', () => {
  it('removes the oldest lines, keeps the counts of their groups, and gives the space back', async () => {
    const GROUPS = 6;
    for (let app_id = 1; app_id <= GROUPS; app_id += 1) {
      for (let part = 0; part < 4; part += 1) await append(LINES, () => ({ log: `failed: ${noise(4_000)}`, app_id }));
    }
    await api.server.jobs.runAll();
    await api.server.jobs.runAll();
    const left: number[] = [];
    for (let app_id = 1; app_id <= GROUPS; app_id += 1) {
      const [group] = (await api.admin.errlog.list({ query: { app_id } })).data;
      expect(group?.count).toBe(4 * LINES);
      left.push((await api.admin.errlog.occurrences({ params: { id: group?.id ?? 0 } })).meta.count);
    }
    expect(left).toEqual(left.toSorted((a, b) => a - b));
    expect(left[0]).toBeLessThan(4 * LINES);
    // The write-ahead log counts as well, and its size varies.
    expect(left.at(-1)).toBeGreaterThanOrEqual(2 * LINES);
    expect(api.server.deps.db.space?.fileBytes() ?? 0).toBeLessThanOrEqual(11_000_000);
    await expectTrueCounters(api.server.deps.db, { whole: false });
  });
});
