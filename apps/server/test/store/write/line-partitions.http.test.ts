// Lines of many days: on PostgreSQL in partitions, on SQLite in one table, with the same outcome.
import { randomBytes } from 'node:crypto';
import { type Database, statement } from '@quarterdeck/core/db';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { createLineReads } from '../../../../../packages/store/src/lines/create-line-reads.ts';
import { createPacker } from '../../../../../packages/store/src/packing/packer.ts';
import { encodeSegment } from '../../../../../packages/store/src/segments/segment.ts';
import { insertSegment } from '../../../../../packages/store/src/tables/segment-rows.ts';
import { daysOfPartition } from '../../../../../packages/store/src/write/line-partitions.ts';
import { createRetention } from '../../../src/features/errlog/errlog.retention.ts';
import { appendTexts, readAllLines, testGroup } from '../../all-lines.ts';
import { openStore } from '../../open-store.ts';
import { DIALECT } from '../../start-api.ts';

const DAY_S = 86_400;
/** Noon of a day. */
const START_S = Math.floor(1_795_000_000 / DAY_S) * DAY_S + DAY_S / 2;
const never = () => false;
const PARTITIONS = statement({
  sqlite: 'SELECT 1 AS n',
  postgresql: "SELECT count(*) AS n FROM pg_inherits WHERE inhparent = 'errlog_segment'::regclass",
});
const partitionsOf = async ({ read }: Database) => (await read.sql.get<{ n: number }>(PARTITIONS))?.n ?? 0;

/** The retention of a store whose clock the test sets. */
function clocked(db: Database, limits: { occurrenceDays?: number; maxMb?: number } = {}) {
  const clock = { nowS: START_S };
  const retention = createRetention(
    db,
    { groupDays: 0, occurrenceDays: 30, maxMb: 0, ...limits },
    () => clock.nowS * 1000,
  );
  return { clock, retention };
}

const TEN_LINES = (day: number) => Array.from({ length: 10 }, (_, i) => `day ${day} line ${i}`);

/** Stores ten lines on each of some days, and closes each day. */
async function storeDays(
  db: Database,
  days: number,
  { clock, retention }: ReturnType<typeof clocked>,
  linesOf = TEN_LINES,
): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    clock.nowS = START_S + day * DAY_S;
    await retention.closePartition();
    await appendTexts(db, linesOf(day), clock.nowS);
  }
}

describe('lines of many days', () => {
  it('stay with their ids when their days are closed and packed', async () => {
    await using store = await openStore();
    const own = clocked(store.db);
    await storeDays(store.db, 6, own);
    const before = await readAllLines(store.db);
    expect(before.map(({ id }) => id)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    expect(await partitionsOf(store.db)).toBe(DIALECT === 'postgresql' ? 6 : 1);
    // Nothing to do until the next day.
    await own.retention.closePartition();
    expect(await partitionsOf(store.db)).toBe(DIALECT === 'postgresql' ? 6 : 1);
    const packer = createPacker(store.db);
    await packer.packAll();
    expect(await readAllLines(store.db)).toEqual(before);
    await packer.close();
  });

  it('are found by their time, also where it is not that of their arrival', async () => {
    await using store = await openStore();
    const { db } = store;
    const own = clocked(db);
    await storeDays(db, 2, own);
    // A line of tomorrow's partition by its time, and one of yesterday's.
    const ahead = { id: 21, time: START_S + 3 * DAY_S + 5, count: 1, reqId: '', log: 'ahead of its time' };
    const late = { id: 22, time: START_S + 5, count: 1, reqId: '', log: 'late' };
    const row = encodeSegment([{ group: testGroup(1), lines: [ahead, late] }], 'fresh');
    await db.write((tx) =>
      insertSegment(tx, db.dialect, { ...row, day: Math.floor(own.clock.nowS / DAY_S), packed: 0 }),
    );
    await db.write(({ sql }) => sql.run(statement("UPDATE setting SET value = '23' WHERE name = 'errlog_next_line'")));
    own.clock.nowS += DAY_S;
    await own.retention.closePartition();
    await appendTexts(db, ['day 2'], own.clock.nowS);
    own.clock.nowS += DAY_S;
    await own.retention.closePartition();
    await appendTexts(db, ['day 3'], own.clock.nowS);
    const reads = createLineReads({ db, log: pino({ level: 'silent' }), now: () => own.clock.nowS * 1000 });
    const found = async (startTime: number, endTime: number) =>
      (await reads.page({ startTime, endTime }, { limit: 100 }, 'test')).data.map(({ log }) => log).sort();
    const day = (n: number) => START_S + n * DAY_S;
    expect(await found(day(3), day(3) + 9)).toEqual(['ahead of its time', 'day 3']);
    expect(await found(day(2), day(2) + 9)).toEqual(['day 2']);
    expect(await found(day(0) + 1, day(0) + 9)).toEqual(['late']);
    expect(await found(day(4), day(5))).toEqual([]);
    expect(await found(day(0), day(5))).toHaveLength(24);
    await reads.close();
  });

  it('are removed day by day, and lower ids can be stored again', async () => {
    await using store = await openStore();
    const { db } = store;
    const own = clocked(db);
    await storeDays(db, 6, own);
    own.clock.nowS = START_S + 33 * DAY_S;
    expect(await own.retention.run(never)).toEqual({ groups: 0, lines: 30 });
    expect((await readAllLines(db)).map(({ id }) => id)).toEqual(Array.from({ length: 30 }, (_, i) => i + 31));
    // The one below the ids that are left, the days that are left, and the one for new lines.
    expect(await partitionsOf(db)).toBe(DIALECT === 'postgresql' ? 4 : 1);
    expect(await own.retention.run(never)).toEqual({ groups: 0, lines: 0 });
    // Lines of version 0.1 get the lowest ids.
    const old = { id: 1, time: own.clock.nowS, count: 1, reqId: '', log: 'of version 0.1' };
    const row = encodeSegment([{ group: testGroup(1), lines: [old] }], 'fresh');
    await db.write((tx) =>
      insertSegment(tx, db.dialect, { ...row, day: Math.floor(own.clock.nowS / DAY_S), packed: 0 }),
    );
    expect((await readAllLines(db))[0]).toMatchObject({ id: 1, log: 'of version 0.1' });
    own.clock.nowS += 60 * DAY_S;
    expect((await own.retention.run(never)).lines).toBe(31);
    await appendTexts(db, ['after all'], own.clock.nowS);
    expect(await readAllLines(db)).toMatchObject([{ id: 61, log: 'after all' }]);
  });

  it.runIf(DIALECT === 'postgresql')('are removed while somebody reads the table all the time', async () => {
    await using store = await openStore();
    const { db } = store;
    const own = clocked(db);
    await storeDays(db, 4, own);
    const partitions = await partitionsOf(db);
    own.clock.nowS = START_S + 33 * DAY_S;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reads = () => {};
    const isReading = new Promise<void>((resolve) => {
      reads = resolve;
    });
    const reading = db.write(async ({ sql }) => {
      await sql.all(statement('SELECT n FROM errlog_segment'));
      reads();
      await released;
    });
    await isReading;
    await own.retention.closePartition();
    expect((await own.retention.run(never)).lines).toBe(30);
    expect(await partitionsOf(db)).toBe(partitions);
    release();
    await reading;
    await own.retention.closePartition();
    expect((await own.retention.run(never)).lines).toBe(0);
    // The one below the ids that are left, the last day, and the one for new lines.
    expect(await partitionsOf(db)).toBe(3);
    expect(await readAllLines(db)).toHaveLength(10);
  });

  it.runIf(DIALECT === 'postgresql')('are removed day by day where they take too much space', async () => {
    await using store = await openStore();
    const { db } = store;
    const own = clocked(db, { maxMb: 1 });
    // 200 kB a day: hexadecimal digits take half of their space.
    const large = () => Array.from({ length: 10 }, () => randomBytes(20_000).toString('hex'));
    await storeDays(db, 6, own, large);
    expect((await own.retention.shrink(never)).lines).toBe(30);
    expect((await readAllLines(db)).map(({ id }) => id)).toEqual(Array.from({ length: 30 }, (_, i) => i + 31));
    // Two whole days were too much. The next day went in slices, and its partition stays until more has to go.
    expect(await partitionsOf(db)).toBe(5);
    expect(await own.retention.shrink(never)).toEqual({ groups: 0, lines: 0 });
  });

  it('have as many partitions as a month has days, however long they are kept', () => {
    expect([0, 1, 30, 31, 90, 36_500].map(daysOfPartition)).toEqual([30, 1, 1, 2, 3, 1_217]);
  });
});
