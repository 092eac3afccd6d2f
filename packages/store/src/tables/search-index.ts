// The index of texts by their three-character pieces, for the search alone. A migration creates it, and a job adds new
// texts a moment after their groups. One row per group whose latest text is indexed; the others are marked
// `text_stale`.
import { setTimeout as delay } from 'node:timers/promises';
import { type Database, type Dialect, type Sql, statement, type Tx } from '@quarterdeck/core/db';
import { onPostgres, onSqlite } from '@quarterdeck/core/sql';
import type { Logger } from 'pino';
import { shareGroups } from './group-lock.ts';
import { indexedText } from './trigrams.ts';

/** On SQLite: name of the setting with the last group of which nothing is indexed yet; 0 where there is none. */
const LEARNING = 'errlog_search_2';
const GET_LEARNING = statement('SELECT CAST(value AS int8) AS id FROM setting WHERE name = ?');
const SET_LEARNING = statement(
  'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
);

const FIND_TRIGRAMS = onPostgres("SELECT 1 AS found WHERE to_regclass('errlog_search_text') IS NOT NULL");

/** Warns where PostgreSQL refused the extension that the index of trigrams needs. */
export async function checkSearchIndex(db: Database, log: Pick<Logger, 'warn'>): Promise<void> {
  if (db.dialect === 'sqlite' || (await db.read.sql.get(FIND_TRIGRAMS)) !== undefined) return;
  log.warn(
    'Searching error logs is slow without pg_trgm. Run as an administrator of the database: CREATE EXTENSION pg_trgm; ' +
      'CREATE INDEX errlog_search_text ON errlog_search USING gin (text gin_trgm_ops);',
  );
}

/** Returns the last id that the index has not learnt. */
export async function learningUpTo(sql: Sql, dialect: Dialect): Promise<number> {
  if (dialect === 'postgresql') return 0;
  return (await sql.get<{ id: number }>(GET_LEARNING, LEARNING))?.id ?? 0;
}

const STALE = statement('SELECT id, log FROM errlog WHERE text_stale AND id > ? ORDER BY id LIMIT ?');
const UNLEARNT = statement('SELECT id, log FROM errlog WHERE id <= ? ORDER BY id DESC LIMIT ?');
const PUT = onSqlite('INSERT OR REPLACE INTO errlog_search (rowid, text) VALUES (?, ?)');
// Skips unmarked rows: most groups of an index of another form are not marked.
const KNOWN = statement('UPDATE errlog SET text_stale = FALSE WHERE id = ? AND text_stale');
// Groups that a batch has locked are left to the next run.
const PUT_SLICE = onPostgres(
  `WITH slice AS (SELECT id, log FROM errlog WHERE text_stale AND id > $1 ORDER BY id LIMIT $2
      FOR NO KEY UPDATE SKIP LOCKED),
    put AS (INSERT INTO errlog_search (id, text) SELECT id, errlog_search_form(log) FROM slice
      ON CONFLICT (id) DO UPDATE SET text = excluded.text)
    UPDATE errlog e SET text_stale = FALSE FROM slice WHERE e.id = slice.id RETURNING e.id`,
);
// PostgreSQL keeps new entries in a list, which every search reads as a whole: 400 pages of it cost 40 ms. Null without
// the index.
const SORT_IN = onPostgres("SELECT gin_clean_pending_list(to_regclass('errlog_search_text'))");
const REMOVE = statement({
  sqlite: 'DELETE FROM errlog_search WHERE rowid = ?',
  postgresql: 'DELETE FROM errlog_search WHERE id = $1',
});

/** Groups of one slice. */
const SLICE = 250;
/** Groups of one write on PostgreSQL: batches wait for it, some milliseconds. Fewer take a sixth more time each. */
const LOCKED = 125;
/** Groups of one write while no server runs: fewer writes, whose parts of the index need not be merged later. */
const LARGE_SLICE = 1_000;
/** Rest between two slices, as a multiple of the time that one took. The intake comes first. */
const REST_RATIO = 3;

/** Entrance to the database of this job. */
type Writes = Pick<Database, 'dialect' | 'write'>;

/** Groups that a slice has indexed, and the id up to which it has looked for marked ones. */
interface IndexedSlice {
  readonly n: number;
  readonly last: number;
}

/**
 * Adds all changed texts to the index, slice by slice, in the order of their ids. A group that is marked again
 * meanwhile waits for the next run, so frequent errors do not keep new ones out of the index.
 */
export async function updateSearchIndex(db: Writes, stopped: () => boolean, restRatio = REST_RATIO): Promise<void> {
  for (let [n, after] = [SLICE, 0]; n === SLICE && !stopped(); ) {
    const startMs = performance.now();
    const slice = await (db.dialect === 'postgresql'
      ? indexInParts(db, after)
      : db.write((tx) => indexTexts(tx, after, SLICE), { bulk: true }));
    [n, after] = [slice.n, slice.last];
    if (n === SLICE) await delay((performance.now() - startMs) * restRatio);
  }
}

/** Adds a slice of changed texts on PostgreSQL, of groups behind an id. */
async function indexInParts(db: Writes, after: number): Promise<IndexedSlice> {
  let [groups, last] = [0, after];
  for (let n = LOCKED; n === LOCKED && groups < SLICE; groups += n) {
    const ids = await indexPart(db, last);
    n = ids.length;
    last = Math.max(last, ...ids);
  }
  if (groups > 0) await db.write(({ sql }) => sql.all(SORT_IN), { bulk: true });
  return { n: groups, last };
}

/** Adds some changed texts with one packet: their groups are locked no longer than the statement takes. */
async function indexPart(db: Writes, after: number): Promise<number[]> {
  let put: Promise<{ id: number }[]> | undefined;
  const work = async (tx: Tx) => {
    shareGroups(tx, db.dialect).catch(() => {});
    put = tx.sql.all(PUT_SLICE, after, LOCKED);
    put.catch(() => {});
  };
  await db.write(work, { bulk: true, endsPipelined: true });
  return ((await put) ?? []).map(({ id }) => id);
}

/**
 * {@link updateSearchIndex} of SQLite while no server runs: without rests. `onGroups` gets the number of the groups so
 * far.
 */
export async function fillSearchIndex(db: Database, onGroups: (groups: number) => void): Promise<void> {
  for (let n = LARGE_SLICE, groups = 0; n === LARGE_SLICE; ) {
    ({ n } = await db.write((tx) => indexTexts(tx, 0, LARGE_SLICE), { bulk: true }));
    groups += n;
    if (n > 0) onGroups(groups);
  }
}

/** Adds a slice of changed texts on SQLite, of groups behind an id. */
async function indexTexts(tx: Tx, after: number, slice: number): Promise<IndexedSlice> {
  // New texts first, then the others of an index of another form, newest first.
  const upTo = await learningUpTo(tx.sql, 'sqlite');
  const groups = await tx.sql.all<Text>(STALE, Math.max(upTo, after), slice);
  const last = groups.at(-1)?.id ?? after;
  const room = slice - groups.length;
  if (upTo > 0 && room > 0) {
    const older = await tx.sql.all<Text>(UNLEARNT, upTo, room);
    const oldest = older.length < room ? undefined : older.at(-1);
    await tx.sql.run(SET_LEARNING, LEARNING, String(oldest === undefined ? 0 : oldest.id - 1));
    groups.push(...older);
  }
  for (const { id, log } of groups) {
    await tx.sql.run(PUT, id, indexedText(log));
    await tx.sql.run(KNOWN, id);
  }
  return { n: groups.length, last };
}

interface Text {
  readonly id: number;
  readonly log: string;
}

/** Removes a group from the index. */
export const removeText = (tx: Tx, id: number) => tx.sql.run(REMOVE, id);
