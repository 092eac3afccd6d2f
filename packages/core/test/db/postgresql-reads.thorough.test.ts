// Reads on PostgreSQL that begin together: which of them share a run, and which a connection.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { statement } from '../../src/db/open/index.ts';
import { connect, open, usePostgres } from './databases.ts';

const postgres = usePostgres();

const random = statement('SELECT random() AS r, CAST(? AS text) AS given');
const session = (isShort: boolean) => statement('SELECT pg_backend_pid() AS pid, CAST(? AS int) AS given', { isShort });
const shortSession = session(true);
const longSession = session(false);
const quotient = statement('SELECT 12 / CAST(? AS int) AS n, pg_backend_pid() AS pid', { isShort: true });
const slowCount = statement('SELECT count(*) AS n, CAST(pg_sleep(0.3) AS text) AS slept FROM event');
const add = statement("INSERT INTO event (type, data, time_ms) VALUES ('a', '', 1)");

async function openNew() {
  const url = await (await postgres()).createDatabase();
  return { url, db: await open({ kind: 'postgresql', url }) };
}

/** Resolves once a query finds rows. */
async function untilFound(client: Client, sql: string): Promise<void> {
  while ((await client.query(sql)).rowCount === 0) await delay(5);
}

describe('reads that begin together', () => {
  it('run once if they are equal, and give each caller rows of its own', async () => {
    const { sql } = (await openNew()).db.read;
    const read = (given: string) => sql.all<{ r: number; given: string }>(random, given);
    const [one = [], same = [], other = []] = await Promise.all([read('a'), read('a'), read('b')]);
    expect(same).toEqual(one);
    expect(other[0]).not.toEqual(one[0]);
    Object.assign(same[0] ?? {}, { given: 'changed' });
    same.push({ r: 1, given: 'another' });
    expect(one).toEqual([{ r: expect.any(Number), given: 'a' }]);
    expect(await read('a')).not.toEqual(one);
  });

  it('do not share a run if their values differ, however alike these are as text', async () => {
    const { sql } = (await openNew()).db.read;
    const echo = statement('SELECT CAST(? AS text) AS a, CAST(? AS text) AS b');
    const pairs = [
      ['a,b', 'c'],
      ['a', 'b,c'],
      ['null', 'x'],
      [null, 'x'],
    ] as const;
    const rows = await Promise.all(pairs.map((pair) => sql.get(echo, ...pair)));
    expect(rows).toEqual(pairs.map(([a, b]) => ({ a, b })));
  });

  it('see a write that was acknowledged while an equal read was under way', async () => {
    const { url, db } = await openNew();
    const admin = await connect(url);
    const before = db.read.sql.get<{ n: number }>(slowCount);
    await untilFound(admin, "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    await db.write((tx) => tx.sql.run(add));
    expect(await db.read.sql.get(slowCount)).toMatchObject({ n: 1 });
    expect(await before).toMatchObject({ n: 0 });
  });

  it('share a connection if they are short, and no other', async () => {
    const { sql } = (await openNew()).db.read;
    const pids = async (which: typeof shortSession) => {
      const rows = await Promise.all([1, 2, 3].map((n) => sql.get<{ pid: number; given: number }>(which, n)));
      expect(rows.map((row) => row?.given)).toEqual([1, 2, 3]);
      return new Set(rows.map((row) => row?.pid)).size;
    };
    expect(await pids(shortSession)).toBe(1);
    expect(await pids(longSession)).toBe(3);
  });

  it('fail alone', async () => {
    const { sql } = (await openNew()).db.read;
    const results = await Promise.allSettled([1, 0, 3].map((n) => sql.get<{ n: number }>(quotient, n)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await sql.get(quotient, 4)).toMatchObject({ n: 3 });
  });

  it('fail together with their connection, and later ones get another', async () => {
    const { url, db } = await openNew();
    const admin = await connect(url);
    const sleep = statement('SELECT CAST(pg_sleep(CAST(? AS int)) AS text) AS slept', { isShort: true });
    const reads = Promise.allSettled([10, 11].map((n) => db.read.sql.get(sleep, n)));
    await untilFound(admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    expect((await reads).map((read) => read.status === 'rejected' && read.reason.kind)).toEqual([
      'unavailable',
      'unavailable',
    ]);
    expect(await db.read.sql.get(quotient, 4)).toMatchObject({ n: 3 });
  });
});
