// Checks the kept numbers of the error logs against their groups and lines.
import { type Database, statement } from '@quarterdeck/core/db';
import { expect } from 'vitest';
import { SegmentReader } from '../../../packages/store/src/segments/segment-reader.ts';
import { eachMinute, hourOf } from '../../../packages/store/src/tables/group-minutes.ts';
import { magnitudeOf } from '../../../packages/store/src/tables/group-state.ts';

const HOUR_S = 3_600;

type Counts = Map<string, number>;

function add(counts: Counts, key: string, n: number): void {
  counts.set(key, (counts.get(key) ?? 0) + n);
}

/** The keys on which two maps differ: two maps of thousands make a poor message. */
function expectSame(name: string, got: Counts, wanted: Counts): void {
  const wrong = [...new Set([...wanted.keys(), ...got.keys()])].filter((key) => wanted.get(key) !== got.get(key));
  const shown = wrong.slice(0, 10).map((key) => ({ key, wanted: wanted.get(key), got: got.get(key) }));
  expect(shown, name).toEqual([]);
}

/** The keys of `counts` of which `bound` has less. */
function expectWithin(name: string, counts: Counts, bound: Counts): void {
  const beyond = [...counts].filter(([key, n]) => n > (bound.get(key) ?? 0));
  expect(beyond.slice(0, 10), name).toEqual([]);
}

/**
 * Fails unless every kept number equals what the groups and their lines say.
 *
 * `whole`: retention has removed nothing yet. Otherwise lines may be gone that still count, and minutes
 * may be merged into hours.  The rates
 * outlive their groups; those before `ratesFrom` (Unix seconds) are gone.
 */
export async function expectTrueCounters(db: Database, { whole = true, ratesFrom = 0 } = {}): Promise<void> {
  await expectTrueFingerprintIndex(db);
  await expectTrueTotals(db);
  const happened = await expectTrueLines(db, whole);
  await expectTrueTimes(db, happened, whole, Math.ceil(ratesFrom / HOUR_S) * 60);
}

const ENTRIES = statement({
  sqlite: 'SELECT fingerprint, level, app_id, src, id FROM errlog_fingerprint',
  postgresql: '',
});

/** Checks the fingerprint index on SQLite. */
async function expectTrueFingerprintIndex({ dialect, read: { prisma, sql } }: Database): Promise<void> {
  if (dialect !== 'sqlite') return;
  type Entry = { fingerprint: string; level: number; app_id: number; src: number; id: number };
  const got: Counts = new Map();
  for (const { fingerprint, level, app_id, src, id } of await sql.all<Entry>(ENTRIES)) {
    add(got, `${fingerprint},${level},${app_id},${src},${id}`, 1);
  }
  const wanted: Counts = new Map();
  for (const { fingerprint, level, appId, src, id } of await prisma.errlog.findMany()) {
    add(wanted, `${fingerprint},${level},${appId},${src},${id}`, 1);
  }
  expectSame('errlog_fingerprint', got, wanted);
}

async function expectTrueTotals({ read: { prisma } }: Database): Promise<void> {
  const wanted: Counts = new Map();
  const kinds = new Set<string>();
  for (const { src, appId, level, state, fingerprint, count, magnitude, ...group } of await prisma.errlog.findMany()) {
    const service = group.service ?? '';
    add(wanted, `${src},${appId},${level},${service},${state}`, 1);
    add(wanted, `-2,${appId},${level},${service},${state}`, 1);
    if (!kinds.has(`${appId},${level},${fingerprint}`)) add(wanted, `-1,${appId},${level},${service},`, 1);
    kinds.add(`${appId},${level},${fingerprint}`);
    expect(magnitude, `magnitude of ${count}`).toBe(magnitudeOf(Number(count)));
  }
  const totals = await prisma.errlogTotal.findMany();
  const got = new Map(
    totals.map(({ src, appId, level, service, state, n }) => [
      `${src},${appId},${level},${service},${state}`,
      Number(n),
    ]),
  );
  expectSame('errlog_total', got, wanted);
}

/** Checks segments; how often each group happened in each minute, as far as lines know. */
async function expectTrueLines({ read: { prisma } }: Database, whole: boolean): Promise<Counts> {
  const groups = new Map((await prisma.errlog.findMany()).map((group) => [Number(group.id), group]));
  const moved = await movedGroups(prisma);
  const minutes: Counts = new Map();
  const sums: Counts = new Map();
  let lastId = 0;
  for (const { fromTime, toTime, lastId: last, ...row } of await prisma.errlogSegment.findMany({
    orderBy: { id: 'asc' },
  })) {
    expect(Number(row.id), 'segments share no line').toBeGreaterThan(lastId);
    lastId = Number(last);
    const reader = new SegmentReader({
      ...row,
      id: Number(row.id),
      last_id: lastId,
      from_time: Number(fromTime),
      to_time: Number(toTime),
    });
    const times: number[] = [];
    for (const { group: stored, lines } of reader.content()) {
      const group = { ...stored, id: moved.get(stored.id) ?? stored.id };
      const known = groups.get(group.id);
      for (const { time, count } of lines) {
        times.push(time);
        if (known === undefined) continue;
        expect(time >= known.firstSeen && time <= known.logTime, `times of group ${group.id}`).toBe(true);
        add(minutes, `${group.id},${Math.floor(time / 60)}`, count);
        add(sums, String(group.id), count);
      }
    }
    expect([row.n, Number(fromTime), Number(toTime)]).toEqual([times.length, Math.min(...times), Math.max(...times)]);
  }
  const counts: Counts = new Map([...groups].map(([id, { count }]) => [String(id), Number(count)]));
  if (whole) expectSame('count', counts, sums);
  else expectWithin('count', sums, counts);
  return minutes;
}

/** Former groups, and those that they are in now. */
async function movedGroups(prisma: Database['read']['prisma']): Promise<Map<number, number>> {
  const rows = await prisma.errlogMoved.findMany();
  return new Map(rows.map(({ formerId, errlogId }) => [Number(formerId), Number(errlogId)]));
}

const hourly = (counts: Counts): Counts => {
  const hours: Counts = new Map();
  for (const [key, n] of counts) {
    const [of, minute] = [key.slice(0, key.lastIndexOf(',')), Number(key.slice(key.lastIndexOf(',') + 1))];
    add(hours, `${of},${Math.floor(minute / 60)}`, n);
  }
  return hours;
};

/** Checks `errlog_hour` against counts and lines, and `errlog_rate` against `errlog_hour`. */
async function expectTrueTimes(
  { read: { prisma } }: Database,
  happened: Counts,
  whole: boolean,
  fromMinute: number,
): Promise<void> {
  const groups = await prisma.errlog.findMany();
  const moved = await movedGroups(prisma);
  // The minutes of a merged group stay, so that an undo can give them back.
  const rows = (await prisma.errlogHour.findMany()).filter(({ errlogId }) => !moved.has(Number(errlogId)));
  const minutes: Counts = new Map();
  const sums: Counts = new Map();
  const bySource: Counts = new Map();
  const known = new Map(groups.map((group) => [group.id, group]));
  for (const { errlogId, ...row } of rows) {
    const { src, level } = known.get(errlogId) ?? { src: 'nobody', level: '' };
    eachMinute(row, (minute, n) => {
      expect([n > 0, hourOf(minute)], `a count of group ${errlogId}`).toEqual([true, row.hour]);
      add(minutes, `${errlogId},${minute}`, n);
      add(sums, String(errlogId), n);
      if (minute >= fromMinute) add(bySource, `${src},${level},${minute}`, n);
    });
  }
  // Retention keeps this: the minutes of a group add up to its count.
  expectSame('errlog_hour', sums, new Map(groups.map(({ id, count }) => [String(id), Number(count)])));
  if (whole) expectSame('errlog_hour and lines', minutes, happened);
  else expectWithin('errlog_hour and lines', hourly(happened), hourly(minutes));

  const all: Counts = new Map();
  const one: Counts = new Map();
  const added: Counts = new Map();
  for (const { src, level, minute, n } of await prisma.errlogRate.findMany()) {
    add(src === -1 ? all : one, `${src},${level},${minute}`, Number(n));
    if (src !== -1) add(added, `-1,${level},${minute}`, Number(n));
  }
  expectSame('errlog_rate of all sources', all, added);
  if (whole) expectSame('errlog_rate', one, bySource);
  else expectWithin('errlog_rate', hourly(bySource), hourly(one));
}
