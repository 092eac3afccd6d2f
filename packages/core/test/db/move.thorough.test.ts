// Moves between SQLite and PostgreSQL, interrupted and damaged in every way.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { type MoveOptions, type MovePlace, moveDatabase, openDatabase, statement } from '../../src/db/open/index.ts';
import { makeOldDatabase } from '../old-database.ts';
import { createDirectory, newSqlite, open, usePostgres } from './databases.ts';
import { addHugeValues, contentOf, fillTables, tablesOf } from './move-rows.ts';
import { splitSegments } from './partitions.ts';

const postgres = usePostgres();

const CHILD = fileURLToPath(new URL('move-child.ts', import.meta.url));
const ADD = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, 1)');
const LAST = statement('SELECT max(id) AS id FROM event');

type SqlitePlace = Extract<MovePlace, { kind: 'sqlite' }>;
type PostgresPlace = Extract<MovePlace, { kind: 'postgresql' }>;

async function emptySqlite(): Promise<SqlitePlace> {
  return { kind: 'sqlite', file: join(await createDirectory(), 'quarterdeck.db') };
}

async function emptyPostgres(): Promise<PostgresPlace> {
  return { kind: 'postgresql', url: await (await postgres()).createDatabase() };
}

/** For tests that move several times, or start processes. */
const LONG = { timeout: 120_000 };

const dataDirOf = ({ file }: SqlitePlace) => join(file, '..');

/** Creates a database with hostile rows in every table. */
async function filled(rows = 40, empty: readonly string[] = []): Promise<SqlitePlace> {
  const { dataDir } = await newSqlite();
  const place = { kind: 'sqlite', file: join(dataDir, 'quarterdeck.db') } as const;
  fillTables(place.file, rows, empty);
  return place;
}

async function query(place: PostgresPlace, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function onSqlite(place: SqlitePlace, sql: string): void {
  const connection = new BetterSqlite3(place.file);
  connection.pragma('foreign_keys = OFF');
  connection.exec(sql);
  connection.close();
}

const digest = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Moves in a process that is killed at a step. */
async function killedAt(options: MoveOptions, step: string, count: number): Promise<void> {
  const args = ['--conditions=@quarterdeck/source', CHILD, JSON.stringify(options), step, String(count)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
}

it(
  'gives back the original content after a move to PostgreSQL and one back, and goes on with the ids',
  LONG,
  async () => {
    const [source, middle, back] = [await filled(40, ['outage']), await emptyPostgres(), await emptySqlite()];
    addHugeValues(source.file);
    const before = digest(source.file);

    const there = await moveDatabase({ source, target: middle });
    expect(there).toMatchObject({ isResumed: false, rows: expect.any(Number) });
    expect(digest(source.file)).toBe(before);
    const counts = await query(
      middle,
      'SELECT (SELECT count(*)::int FROM errlog_segment) AS segments, count, first_seen FROM errlog WHERE id = 1',
    );
    expect(counts).toEqual([{ segments: 40, count: '9223372036854775807', first_seen: '-9223372036854775808' }]);
    const filters = await query(
      middle,
      'SELECT id::int, length(filter) FROM errlog_segment WHERE id IN (5, 6) ORDER BY id',
    );
    expect(filters).toEqual([5, 6].map((id) => ({ id, length: 19 * 499 })));
    expect(await query(middle, "SELECT to_regclass('quarterdeck_move') AS marker")).toEqual([{ marker: null }]);
    await query(middle, splitSegments(20));

    const again = await moveDatabase({ source: middle, target: back });
    expect(again.sha256).toBe(there.sha256);
    // The job of the server fills the index of texts, from the newest group down.
    onSqlite(back, "UPDATE setting SET value = '0' WHERE name = 'errlog_search_2'");
    onSqlite(source, "INSERT OR REPLACE INTO setting VALUES ('errlog_search_2', '0')");
    expect(contentOf(back.file)).toEqual(contentOf(source.file));

    // The id of the deleted row is not given again.
    for (const place of [
      { kind: 'postgresql', url: middle.url },
      { kind: 'sqlite', dataDir: dataDirOf(back) },
    ] as const) {
      const database = await open(place);
      await database.write((tx) => tx.sql.run(ADD, 'new', '{}'));
      expect(await database.read.sql.get(LAST)).toEqual({ id: 41 });
      await database.close();
    }
  },
);

it('copies every table that is not derived', async () => {
  const [source, target] = [await filled(3), await emptyPostgres()];
  await moveDatabase({ source, target });
  const connection = new BetterSqlite3(source.file, { readonly: true });
  const tables = tablesOf(connection);
  connection.close();
  for (const table of tables) {
    // The last event was deleted; the setting belongs to the index of SQLite.
    const [row] = await query(target, `SELECT count(*)::int AS n FROM "${table}"`);
    expect([table, row?.['n']]).toEqual([table, table === 'event' ? 2 : 3]);
  }
  expect(
    await query(
      target,
      'SELECT count(*)::int AS n FROM errlog_search s JOIN errlog e ON e.id = s.id AND errlog_search_form(e.log) = s.text',
    ),
  ).toEqual(await query(target, 'SELECT count(*)::int AS n FROM errlog WHERE NOT text_stale'));
});

it.each([
  ['compared', 1],
  ['begun', 1],
  ['chunk', 1],
  ['chunk', 9],
  ['chunk', 30],
  ['copied', 1],
] as const)('goes on after a kill at %s %i, in both directions', LONG, async (step, count) => {
  const [source, middle, back] = [await filled(), await emptyPostgres(), await emptySqlite()];
  await killedAt({ source, target: middle }, step, count);
  await expect(openDatabase({ kind: 'postgresql', url: middle.url })).rejects.toMatchObject({
    kind: 'migration',
    message: expect.stringContaining('unfinished move'),
  });
  const there = await moveDatabase({ source, target: middle });
  expect(there.isResumed).toBe(true);

  await killedAt({ source: middle, target: back }, step, count);
  await expect(openDatabase({ kind: 'sqlite', dataDir: dataDirOf(back) })).rejects.toMatchObject({
    kind: 'migration',
    message: expect.stringContaining('unfinished move'),
  });
  const again = await moveDatabase({ source: middle, target: back });
  expect(again).toEqual(there);
  await (await openDatabase({ kind: 'sqlite', dataDir: dataDirOf(back), mustExist: true })).close();
});

it('goes on after a failure behind every step', LONG, async () => {
  const [source, target] = [await filled(3), await emptyPostgres()];
  const whole = await moveDatabase({ source, target: await emptyPostgres() });
  const failed: string[] = [];
  for (;;) {
    let hasFailed = false;
    const onStep = (step: string) => {
      // Each run stores one chunk more than the one before it.
      if (hasFailed || step === 'finished' || (step !== 'chunk' && failed.includes(step))) return;
      hasFailed = true;
      failed.push(step);
      throw new Error('killed');
    };
    const moved = await moveDatabase({ source, target, onStep }).catch(() => undefined);
    if (moved === undefined) continue;
    expect(moved).toEqual({ ...whole, isResumed: true });
    break;
  }
  expect(failed).toEqual(expect.arrayContaining(['begun', 'copied', 'compared']));
  expect(failed.filter((step) => step === 'chunk').length).toBeGreaterThan(30);
});

it('refuses a copy that differs, names the rows, and keeps it unusable', async () => {
  const [source, target] = [await filled(), await emptyPostgres()];
  const change = (step: string) =>
    step === 'copied'
      ? query(target, "UPDATE agent SET note = 'changed' WHERE id = 7").then(() => undefined)
      : undefined;
  await expect(moveDatabase({ source, target, onStep: change })).rejects.toMatchObject({
    kind: 'damaged',
    message: expect.stringMatching(/stays unusable: agent from id=1 to id=40\. Empty the target/),
  });
  await expect(openDatabase({ kind: 'postgresql', url: target.url })).rejects.toMatchObject({ kind: 'migration' });
  await query(target, 'DELETE FROM event WHERE id = 3');
  await expect(moveDatabase({ source, target })).rejects.toThrow('(39 rows in the source, 38 in the target)');
  await query(target, 'DELETE FROM event');
  await expect(moveDatabase({ source, target })).rejects.toThrow('(39 rows in the source, 0 in the target)');
});

it('refuses a difference on SQLite, too', async () => {
  const [source, middle, back] = [await filled(), await emptyPostgres(), await emptySqlite()];
  await moveDatabase({ source, target: middle });
  const change = (step: string) => {
    if (step === 'copied') onSqlite(back, "UPDATE errlog_segment SET texts = x'00' WHERE id = 5");
  };
  await expect(moveDatabase({ source: middle, target: back, onStep: change })).rejects.toThrow(
    /errlog_segment from id=\d+ to id=\d+/,
  );
  await expect(openDatabase({ kind: 'sqlite', dataDir: dataDirOf(back) })).rejects.toMatchObject({ kind: 'migration' });
});

it('refuses a target with data, and one with a move of another source or of a changed one', async () => {
  const [source, other, target] = [await filled(5), await filled(5), await emptyPostgres()];
  const used = await emptyPostgres();
  await (await openDatabase({ kind: 'postgresql', url: used.url })).close();
  await expect(moveDatabase({ source, target: used })).rejects.toMatchObject({
    kind: 'foreign',
    message: expect.stringContaining('is not empty'),
  });
  const file = await filled(1);
  await expect(moveDatabase({ source: used, target: file })).rejects.toMatchObject({ kind: 'foreign' });

  await killedAt({ source, target }, 'chunk', 2);
  await expect(moveDatabase({ source: other, target })).rejects.toThrow(`has an interrupted move of ${source.file}`);
  onSqlite(source, 'DELETE FROM outage WHERE id = 1');
  await expect(moveDatabase({ source, target })).rejects.toThrow('outage had 5 rows and has 4');
});

it('refuses while a server uses the source', async () => {
  const [source, middle, back] = [await filled(2), await emptyPostgres(), await emptySqlite()];
  const server = await open({ kind: 'sqlite', dataDir: dataDirOf(source) });
  await expect(moveDatabase({ source, target: middle })).rejects.toMatchObject({ kind: 'locked' });
  await server.close();
  await moveDatabase({ source, target: middle });
  const other = await open({ kind: 'postgresql', url: middle.url });
  await other.ping();
  await expect(moveDatabase({ source: middle, target: back })).rejects.toMatchObject({ kind: 'locked' });
  expect(existsSync(back.file)).toBe(false);
  await other.close();
  await moveDatabase({ source: middle, target: back });
});

it('refuses a source of an older version', async () => {
  const [source, target] = [await emptySqlite(), await emptyPostgres()];
  await makeOldDatabase({ kind: 'sqlite', dataDir: dataDirOf(source) }, 'change', '');
  await expect(moveDatabase({ source, target })).rejects.toMatchObject({
    kind: 'migration',
    message: expect.stringMatching(/older version of Quarterdeck\. Start the server of this version on it once/),
  });
  await makeOldDatabase(target, 'change', '');
  await expect(moveDatabase({ source: target, target: await emptySqlite() })).rejects.toThrow('older version');
});

it.each([
  [
    "UPDATE agent SET note = 'a' || char(0) || 'b' WHERE id = 3",
    /^The row id=3 of agent has a NUL character in the column note/,
  ],
  [
    "UPDATE agent SET note = x'00ff' WHERE id = 3",
    /^The row id=3 of agent has a value of another type in the column note/,
  ],
  [
    'UPDATE agent SET interval_s = 99999999999 WHERE id = 3',
    /^PostgreSQL refuses a row of agent: value "99999999999" is out of range/,
  ],
])('names a row that PostgreSQL cannot store: %s', async (sql, message) => {
  const [source, target] = [await filled(5), await emptyPostgres()];
  onSqlite(source, sql);
  await expect(moveDatabase({ source, target })).rejects.toThrow(message);
});

it('moves text that is not UTF-8 as servers read it', async () => {
  const [source, target] = [await filled(5), await emptyPostgres()];
  onSqlite(source, "UPDATE agent SET note = CAST(x'61eda08062' AS TEXT) WHERE id = 3");
  await moveDatabase({ source, target });
  expect(await query(target, 'SELECT note FROM agent WHERE id = 3')).toEqual([{ note: 'a\ufffd\ufffd\ufffdb' }]);
});
