// Candidates of a text search: groups that may contain a text, by the search index. They are found where naming them
// costs less than reading the list until enough groups match. A sample of groups tells how common a text is.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Database, type Sql, type Statement, statement } from '@quarterdeck/core/db';
import { lowerAscii } from '@quarterdeck/core/plain';
import { CommitCache, likePattern, onPostgres, onSqlite } from '@quarterdeck/core/sql';
import { chooseTrigrams, matchQuery, trigramRange } from '../tables/trigrams.ts';
import { countGroups } from './count.ts';

/** Up to this many candidates are all verified and counted. */
export const FEW = 5_000;
/** Most matches counted if there are more candidates than that, or the end of the page. */
export const COUNT_MAX = 500;

/**
 * Naming a candidate costs half a microsecond, reading it ten: more than from memory, much less than from a slow
 * disk. Reading goes on until it has found as many as are counted.
 */
const READ_COST = 10 / 0.5;

/**
 * Most candidates worth naming among `groups`: where n groups have the text, the list reads groups / n for each
 * match.
 */
const namedAtMost = (groups: number) => Math.max(FEW, Math.ceil(Math.sqrt(COUNT_MAX * READ_COST * groups)));

/** Candidates of one portion: some milliseconds. */
const NAMES_AT_ONCE = 10_000;
/** Entries of the index that one portion passes. */
const PASSED_AT_ONCE = 100_000;
/** Most entries of the trigrams that begin with one or two letters. They cannot be read in portions. */
const ENTRIES_MAX = 25_000;

/** Finds the groups that may contain `q`; undefined if naming them costs more than reading the list. */
export async function findCandidates(db: Database, q: string): Promise<Set<number> | undefined> {
  const { sql } = db.read;
  if (db.dialect === 'postgresql') return findFew(db, q);
  const { first, last } = (await sql.get<Span>(SPAN)) ?? { first: 0, last: 0 };
  const sample = await sampleOf(sql, { first, last });
  const groups = await countGroups(db, {});
  const most = namedAtMost(groups);
  const range = trigramRange(q);
  if (range !== undefined) {
    const folded = lowerAscii(q);
    const share = sample.filter((text) => text.includes(folded)).length / Math.max(1, sample.length);
    const max = share * groups > most ? FEW : ENTRIES_MAX;
    const ids = parseIds(await sql.get<Ids>(BEGINNING_WITH, range.from, range.to, max + 1));
    return ids.length > max ? undefined : new Set(ids);
  }
  const { asked, share, load } = chooseTrigrams(q, sample);
  const walk = { query: matchQuery(asked), first, last, step: Math.ceil(PASSED_AT_ONCE / Math.max(0.01, load)) };
  return findAll(sql, walk, share * groups > most ? FEW : most);
}

/** Places of a sample, spread evenly over all groups, and groups at each. */
const SAMPLE_PLACES = 16;
const SAMPLE_AT_PLACE = 16;

/**
 * Planned each time: a kept plan computes the form of the searched text for each row. It would also read the index as a
 * whole for a text without a trigram, such as `{{{`, five times as long as the texts.
 */
const onForms = (text: string) => onPostgres(text, { plannedEachTime: true });

const named = (column: string) => `SELECT id FROM errlog_search WHERE ${column} LIKE errlog_search_form($1) LIMIT $2`;
/** Names texts that may contain a text: those whose form has its form. */
const FEW_NAMED = onForms(named('text'));
/** The same for texts that are too short for trigrams: comparing bytes takes half the time. */
const LETTERS_NAMED = onForms(named('text COLLATE "C"'));

/** The texts of a sample, see {@link sampleOf}, and those of them that may contain a text. */
const FREQUENCY = onForms(
  `SELECT count(*) AS texts, count(*) FILTER (WHERE sampled.text LIKE errlog_search_form($1)) AS found
    FROM (SELECT min(id) AS first, max(id) AS last FROM errlog_search) ends
    CROSS JOIN generate_series(first, last, greatest(${SAMPLE_AT_PLACE}, (last - first) / ${SAMPLE_PLACES})) place
    CROSS JOIN LATERAL (SELECT text FROM errlog_search WHERE id >= place ORDER BY id LIMIT ${SAMPLE_AT_PLACE}) sampled`,
);

/** PostgreSQL names candidates at the price of reading them, so a frequent text is not looked for. */
async function findFew(db: Database, q: string): Promise<Set<number> | undefined> {
  const { sql } = db.read;
  if ([...q].length < 3) return fewOf(await lettersNamed.get(db, lowerAscii(q), () => namedFew(sql, LETTERS_NAMED, q)));
  const [sample, groups] = await Promise.all([
    sql.get<{ texts: number; found: number }>(FREQUENCY, likePattern(q)),
    countGroups(db, {}),
  ]);
  const { texts = 0, found = 0 } = sample ?? {};
  if ((found / Math.max(1, texts)) * groups > FEW) return undefined;
  return fewOf(await namedFew(sql, FEW_NAMED, q));
}

const namedFew = (sql: Sql, few: Statement, q: string) => sql.all<Named>(few, likePattern(q), FEW + 1);

interface Named {
  readonly id: number;
}

const fewOf = (rows: readonly Named[]): Set<number> | undefined =>
  rows.length > FEW ? undefined : new Set(rows.map(({ id }) => id));

/** Texts with one or two characters, until the next commit: they have no trigram, so all texts are read. */
const lettersNamed = new CommitCache<readonly Named[]>(8);

/** The first and the last id of all groups. */
interface Span {
  readonly first: number;
  readonly last: number;
}

const SPAN = statement(
  'SELECT coalesce(min(id), 0) AS first, (SELECT coalesce(max(id), 0) FROM errlog) AS last FROM errlog',
);

/** The length that most texts have at most. */
const SOME_TEXTS = statement('SELECT substr(log, 1, 1000) AS log FROM errlog WHERE id >= ? ORDER BY id LIMIT ?');

/** Returns texts of some groups in lower case. */
async function sampleOf(sql: Sql, { first, last }: Span): Promise<string[]> {
  const texts: string[] = [];
  const apart = Math.max(SAMPLE_AT_PLACE, Math.floor((last - first) / SAMPLE_PLACES));
  for (let id = first; id <= last; id += apart) {
    const rows = await sql.all<{ log: string }>(SOME_TEXTS, id, SAMPLE_AT_PLACE);
    texts.push(...rows.map(({ log }) => lowerAscii(log)));
  }
  return texts;
}

/** Ids as one JSON array: takes half the time of a row for each. */
interface Ids {
  readonly ids: string;
}

const parseIds = (row: Ids | undefined): number[] => JSON.parse(row?.ids ?? '[]');

const NAMED = onSqlite(
  `SELECT json_group_array(id) AS ids FROM (SELECT rowid AS id FROM errlog_search
    WHERE errlog_search MATCH ? AND rowid >= ? AND rowid <= ? ORDER BY rowid LIMIT ?)`,
);
const BEGINNING_WITH = onSqlite(
  `SELECT json_group_array(id) AS ids FROM (SELECT doc AS id FROM errlog_search_trigram
    WHERE term >= ? AND term <= ? LIMIT ?)`,
);

/** A walk through the index, `step` ids at once. */
interface Walk extends Span {
  readonly query: string;
  readonly step: number;
}

async function findAll(sql: Sql, { query, first, last, step }: Walk, max: number): Promise<Set<number> | undefined> {
  const named = new Set<number>();
  for (let from = first; from <= last; ) {
    const to = Math.min(last, from + step - 1);
    const wanted = Math.min(NAMES_AT_ONCE, max + 1 - named.size);
    const ids = parseIds(await sql.get<Ids>(NAMED, query, from, to, wanted));
    for (const id of ids) named.add(id);
    if (named.size > max) return undefined;
    from = ids.length < wanted ? to + 1 : (ids.at(-1) ?? to) + 1;
    if (from <= last) await yieldToEventLoop();
  }
  return named;
}
