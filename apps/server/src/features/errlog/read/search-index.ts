// The index of texts by their three-character pieces. It belongs to nobody but the search: it is made at the start where
// it is missing, follows the groups a moment later, and can be thrown away at any time. One row per group whose latest
// text it knows; the others are marked `text_stale`.
import { setTimeout as delay } from 'node:timers/promises';
import { type Database, type Dialect, type Door, statement } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import { lockGroups } from '../intake/errlog.batch.ts';
import { likePattern, trigramQuery } from './search-text.ts';

const MAKE = statement({
  sqlite: `CREATE VIRTUAL TABLE IF NOT EXISTS errlog_search
    USING fts5(text, content='', contentless_delete=1, tokenize='trigram', detail='none')`,
  postgresql: 'CREATE TABLE IF NOT EXISTS errlog_search (id int8 PRIMARY KEY, text text NOT NULL)',
});
const EXTENSION = statement({ sqlite: '', postgresql: 'CREATE EXTENSION IF NOT EXISTS pg_trgm' });
const TRIGRAMS = statement({
  sqlite: '',
  postgresql: 'CREATE INDEX IF NOT EXISTS errlog_search_text ON errlog_search USING gin (text gin_trgm_ops)',
});

/** Makes the index where it is missing. */
export async function makeSearchIndex(db: Database, log: Pick<Logger, 'warn'>): Promise<void> {
  await db.write(async (tx) => {
    await lockGroups(tx, db.dialect);
    await tx.sql.run(MAKE);
  });
  if (db.dialect === 'sqlite') return;
  try {
    await db.write(async (tx) => {
      await lockGroups(tx, db.dialect);
      await tx.sql.run(EXTENSION);
      await tx.sql.run(TRIGRAMS);
    });
  } catch (error) {
    log.warn({ err: error }, 'pg_trgm cannot be used: searching error logs will be slow');
  }
}

/** Asks the index for groups that may contain a text: a subquery of ids, and the value of its placeholder. */
export interface IndexQuery {
  readonly ids: string;
  readonly value: string;
}

/** How to ask the index for `q`; undefined where `q` is too short for it. */
export function indexQuery(dialect: Dialect, q: string): IndexQuery | undefined {
  const trigrams = trigramQuery(q);
  if (trigrams === undefined) return undefined;
  return dialect === 'sqlite'
    ? { ids: 'SELECT rowid AS id FROM errlog_search WHERE errlog_search MATCH ?', value: trigrams }
    : { ids: 'SELECT id FROM errlog_search WHERE text ILIKE ?', value: likePattern(q) };
}

const STALE = statement('SELECT id, log FROM errlog WHERE text_stale ORDER BY id LIMIT ?');
const PUT = statement({
  sqlite: 'INSERT OR REPLACE INTO errlog_search (rowid, text) VALUES (?, ?)',
  postgresql: '',
});
const KNOWN = statement('UPDATE errlog SET text_stale = FALSE WHERE id = ?');
// On PostgreSQL every statement is a journey, and the groups are locked meanwhile.
const PUT_SLICE = statement({
  sqlite: '',
  postgresql: `WITH slice AS (SELECT id, log FROM errlog WHERE text_stale ORDER BY id LIMIT $1),
    put AS (INSERT INTO errlog_search (id, text) SELECT id, log FROM slice
      ON CONFLICT (id) DO UPDATE SET text = excluded.text)
    UPDATE errlog e SET text_stale = FALSE FROM slice WHERE e.id = slice.id`,
});
const REMOVE = statement({
  sqlite: 'DELETE FROM errlog_search WHERE rowid = ?',
  postgresql: 'DELETE FROM errlog_search WHERE id = $1',
});

/** Groups of one write. */
const SLICE = 250;
/** Between two slices it rests for so many times what one took: the time belongs to the intake. */
const REST_RATIO = 3;

/** Brings all groups that changed into the index, slice by slice. */
export async function followTexts(db: Database, stopped: () => boolean, restRatio = REST_RATIO): Promise<void> {
  for (let n = SLICE; n === SLICE && !stopped(); ) {
    const startMs = performance.now();
    n = await db.write((tx) => indexTexts(tx, db.dialect), { bulk: true });
    if (n === SLICE) await delay((performance.now() - startMs) * restRatio);
  }
}

async function indexTexts(tx: Door, dialect: Dialect): Promise<number> {
  await lockGroups(tx, dialect);
  if (dialect === 'postgresql') return (await tx.sql.run(PUT_SLICE, SLICE)).changes;
  const groups = await tx.sql.all<{ id: number; log: string }>(STALE, SLICE);
  for (const { id, log } of groups) {
    await tx.sql.run(PUT, id, log);
    await tx.sql.run(KNOWN, id);
  }
  return groups.length;
}

/** Takes a group out of the index. */
export const forgetText = (tx: Door, id: number) => tx.sql.run(REMOVE, id);
