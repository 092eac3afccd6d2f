// Retention of the error logs, and the counts that it leaves.
import { randomBytes } from 'node:crypto';
import { errlogStore } from '@quarterdeck/store';
import { describe, expect, it } from 'vitest';
import { storeBatch } from '../../../../../packages/store/src/write/store-batch.ts';
import { atMost } from '../../../../../test/thoroughness.ts';
import { expectTrueCounters } from '../../../test/errlog-counters.ts';
import { groupedLines } from '../../../test/grouped-lines.ts';
import { startApi, type TestApi, useApi } from '../../../test/start-api.ts';
import { UNLIMITED } from '../../../test/unlimited.ts';
import { word } from '../../../test/word.ts';
import { createRetention } from './errlog.retention.ts';

const HOUR_S = 3_600;
const DAY_S = 86_400;
const LIMITS = { ERRLOG_DAYS: '90', OCCURRENCE_DAYS: '30' };

const api = useApi(LIMITS);

const nowOf = (of: TestApi) => Math.floor(of.now() / 1000);
const NOW = Math.floor(Date.now() / 1000);
/** Unix seconds so many days before these tests began. */
const ago = (days: number) => NOW - Math.round(days * DAY_S);

interface Past {
  readonly time: number;
  /** Unix seconds; the time unless that is in the future. */
  readonly arrived?: number;
  readonly reqId?: string;
  readonly count?: number;
}

let apps = 7_000;
const AT_ONCE = 20;

/** A group that happened at each of these times, each stored alone, when it happened; its id. */
async function happened(past: readonly Past[], { of = api, log = `${word()} failed` } = {}): Promise<number> {
  apps += 1;
  const appId = apps;
  const { db } = of.server.deps;
  const shape = { src: 0, nodeType: 1, appId, level: 3, log };
  // A write has its time, also on a machine that has other things to do.
  for (let at = 0; at < past.length; at += AT_ONCE) {
    await db.write(async (tx) => {
      for (const { time, arrived = Math.min(time, nowOf(of)), reqId = '', count = 1 } of past.slice(at, at + AT_ONCE)) {
        const lines = groupedLines([{ ...shape, time, reqId, count }]);
        await storeBatch(tx, lines, arrived, { allowance: UNLIMITED });
      }
    });
  }
  const { data } = await of.admin.errlog.list({ query: { app_id: appId } });
  return data[0]?.id ?? 0;
}

const get = (id: number, of = api) => of.admin.errlog.get({ params: { id } });
const occurrences = (id: number, of = api) =>
  of.admin.errlog.occurrences({ params: { id }, query: { page_size: 10_000 } });
const isGone = (id: number, of = api) =>
  get(id, of).then(
    () => false,
    ({ status }: { status?: number }) => status === 404,
  );
const expectTrue = (of = api) =>
  expectTrueCounters(of.server.deps.db, { whole: false, ratesFrom: of === api ? ago(90) + HOUR_S : 0 });
const run = (of = api) => of.server.jobs.runAll();
/** Text that cannot be compressed to less than half. */
const noise = (length: number) => randomBytes(length / 2).toString('hex');
const times = (n: number, past: (i: number) => Past) => Array.from({ length: n }, (_, i) => past(i));

describe('retention by age', () => {
  it('forgets old lines; the count and the newest text of their group stay', async () => {
    const log = `${word()} is old`;
    const id = await happened(
      times(10, (i) => ({ time: ago(60) + i, reqId: `old ${i}`, count: 2 })),
      { log },
    );
    const both = await happened([...times(9, (i) => ({ time: ago(60) + i })), ...times(5, () => ({ time: ago(29) }))]);
    const young = await happened(times(10, (i) => ({ time: ago(29) + i })));
    expect((await occurrences(id)).meta.count).toBe(10);
    await run();
    expect((await occurrences(id)).meta.count).toBe(0);
    expect(await get(id)).toMatchObject({ count: 20, first_seen: ago(60), log });
    expect((await occurrences(both)).meta.count).toBe(5);
    expect((await get(both)).count).toBe(14);
    expect((await occurrences(young)).meta.count).toBe(10);
    await expectTrue();
  });

  it('forgets lines whose time is in the future by the day on which they arrived', async () => {
    const id = await happened([{ time: ago(-400), arrived: ago(32) }]);
    const today = await happened([{ time: ago(-400) }]);
    await run();
    expect([(await occurrences(id)).meta.count, (await get(id)).count]).toEqual([0, 1]);
    expect((await occurrences(today)).meta.count).toBe(1);
  });

  it('forgets groups that were not seen for long, with everything that is known of them', async () => {
    // Groups of other tests are not counted below.
    await run();
    const log = `${word()} failed`;
    const gone = await happened(
      times(3, (i) => ({ time: ago(91) + i, reqId: 'gone with its group' })),
      { log },
    );
    // More packs than are deleted in one write.
    const large = await happened(times(120, (i) => ({ time: ago(100) + i })));
    const stays = await happened([{ time: ago(100) }, { time: ago(89) }]);
    const before = (await api.admin.errlog.list({ query: { page_size: 0 } })).meta.count;
    expect((await api.admin.errlog.list({ query: { q: log } })).meta.count).toBe(1);
    await run();
    expect([await isGone(gone), await isGone(large), await isGone(stays)]).toEqual([true, true, false]);
    expect((await api.admin.errlog.list({ query: { page_size: 0 } })).meta.count).toBe(before - 2);
    expect((await api.admin.errlog.list({ query: { q: log } })).meta.count).toBe(0);
    expect((await api.admin.errlog.list({ query: { req_id: 'gone with its group' } })).meta.count).toBe(0);
    await expectTrue();
  });

  it('says what it deleted, each group and each line once', async () => {
    await run();
    await happened(times(70, (i) => ({ time: ago(100) + i })));
    await happened(times(30, (i) => ({ time: ago(60) + i })));
    const from = api.logged.length;
    await run();
    const deletions = api.logged.slice(from).filter((line) => line.includes('old error logs were deleted'));
    expect(deletions.map((line) => JSON.parse(line))).toMatchObject([{ groups: 1, lines: 100 }]);
  });

  it('does nothing where everything is kept for ever', async () => {
    await happened(times(5, (i) => ({ time: 1_000 + i })));
    const limits = { groupDays: 0, occurrenceDays: 0, maxMb: 0 };
    const report = await createRetention(api.server.deps.db, limits, api.now).run(() => false);
    expect(report).toEqual({ groups: 0, lines: 0 });
  });

  it('says before what it would delete, and deletes nothing then', async () => {
    const limits = { groupDays: 90, occurrenceDays: 30, maxMb: 0 };
    const { preview } = createRetention(api.server.deps.db, limits, api.now);
    const before = await preview();
    const ids = [
      await happened(times(3, (i) => ({ time: ago(100) + i }))),
      await happened([{ time: ago(60) }, { time: ago(1) }]),
    ];
    expect(await preview()).toEqual({ groups: before.groups + 1, lines: before.lines + 4 });
    for (const id of ids) expect(await isGone(id)).toBe(false);
  });
});

describe('the minutes of a group', () => {
  it('become hours after two days, and nothing is lost of how often it happened', async () => {
    const start = Math.floor(ago(6) / HOUR_S) * HOUR_S;
    const past = times(100, (i) => ({ time: start + (i >> 2) * 16_000 + (i % 4) * 300, count: 1 + (i % 3) }));
    const id = await happened(past.filter(({ time }) => time < nowOf(api)));
    const { count = 0, app_id = 0 } = await get(id);
    const hours = async () => {
      const query = { app_id, start_time: start, end_time: start + 7 * DAY_S - 1, buckets: 7 * 24 };
      const { buckets, step } = await api.admin.errlog.histogram({ query });
      expect(step).toBe(HOUR_S);
      return buckets.map((bucket) => bucket.count);
    };
    const before = await hours();
    expect(before.reduce((sum, n) => sum + n, 0)).toBe(count);
    const rows = () => api.server.deps.db.read.prisma.errlogHour.findMany({ where: { errlogId: BigInt(id) } });
    const numbersOf = (kept: readonly { minutes: string }[]) => kept.map(({ minutes }) => minutes.split(',').length);
    const border = Math.floor(ago(2) / HOUR_S);
    expect(Math.max(...numbersOf((await rows()).filter(({ hour }) => hour < border)))).toBeGreaterThan(1);
    await run();
    expect(await hours()).toEqual(before);
    const old = (await rows()).filter(({ hour }) => hour < border);
    expect(new Set(numbersOf(old))).toEqual(new Set([1]));
    // A late line goes to its minute, and from there to its hour.
    apps = app_id - 1;
    await happened([{ time: start + 17 * 60, count: 5 }], { log: (await get(id)).log });
    await run();
    const after = await hours();
    expect(after[0]).toBe((before[0] ?? 0) + 5);
    expect(after.slice(1)).toEqual(before.slice(1));
    await expectTrue();
  });
});

describe('retention by size', () => {
  it('forgets the oldest lines first, and no group while lines make room', async () => {
    const { db } = api.server.deps;
    const log = `${word()} failed`;
    const ids: number[] = [];
    for (let group = 0; group < 3; group += 1) {
      const app_id = 100 + group;
      const body = times(100, () => ({ time: nowOf(api) })).map(() => ({
        level: 4,
        log: `${log}: ${noise(4_000)}`,
        app_id,
      }));
      await api.admin.errlog.append({ body });
      ids.push((await api.admin.errlog.list({ query: { app_id } })).data[0]?.id ?? 0);
    }
    const wanted = (await errlogStore(db).sizeBytes()) - 100_000;
    const maxBytes = db.space === undefined ? wanted / 0.8 : wanted + db.space.besideBytes;
    const limits = { groupDays: 0, occurrenceDays: 0, maxMb: maxBytes / 1_000_000 };
    const report = await createRetention(db, limits, api.now).shrink(() => false);
    expect(report).toEqual({ groups: 0, lines: expect.any(Number) });
    expect(await errlogStore(db).sizeBytes()).toBeLessThanOrEqual(wanted);
    const left = await Promise.all(ids.map(async (id) => (await occurrences(id)).meta.count));
    expect(left[0]).toBeLessThan(100);
    expect(left).toEqual(left.toSorted((a, b) => a - b));
    expect(left.at(-1)).toBe(100);
    for (const id of ids) expect((await get(id)).count).toBe(100);
    await expectTrue();
  });
});

describe('retention while lines come in', () => {
  it('loses none of them', async () => {
    await using busy = await startApi({ ERRLOG_DAYS: '1', OCCURRENCE_DAYS: '1' });
    const names = Array.from({ length: 12 }, word);
    const now = nowOf(busy);
    let sending = true;
    const retaining = (async () => {
      while (sending) await run(busy);
    })();
    const rounds = times(atMost(2, 12), (i) => ({ time: i }));
    for (const { time: round } of rounds) {
      await Promise.all(
        [0, 1, 2].map((sender) =>
          busy.admin.errlog.append({
            // Some so old that they may be gone at once, some between, most of now.
            body: names.map((name, i) => ({
              level: 4,
              log: `${name} after ${round} ms`,
              node_id: sender,
              req_id: `r${round}`,
              log_time: now - (i % 4 === 0 ? 3 * DAY_S : i % 4 === 1 ? DAY_S - HOUR_S : 0),
            })),
          }),
        ),
      );
    }
    sending = false;
    await retaining;
    await run(busy);
    const { data } = await busy.admin.errlog.list({ query: { page_size: 1_000 } });
    // Old occurrences are gone, the others count in full.
    expect(data).toHaveLength(3 * 9);
    for (const { count } of data) expect(count).toBe(rounds.length);
    await expectTrue(busy);
  });
});
