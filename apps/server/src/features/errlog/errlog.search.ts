// Text search. What few groups contain is found by the index of search-index.ts; what many contain, by reading the list
// and looking. The condition on the text itself always decides, and groups whose latest text the index does not know yet
// are looked at too, so the answer is true at any moment.
import type { ErrlogSort } from '@quarterdeck/core';
import type { Database, SqlValue } from '@quarterdeck/core/db';
import { cached, countGroups, filterWhere, Where } from './errlog.filter.ts';
import { type ErrlogPage, errlogByIds, type ListQuery, NEWEST_FIRST } from './errlog.rows.ts';
import { indexQuery } from './search-index.ts';
import { likePattern, likeText } from './search-text.ts';

/** Groups that the index may name; where it names more, the text is common, and the list is read instead. */
const NAMED_MAX = 20_000;
/** Groups that are looked at where the list is read, and of those that the index does not know yet. */
const LOOK_MAX = 50_000;
/** Counting stops here. */
const COUNT_MAX = 10_000;

const ORDERS: Readonly<Record<ErrlogSort, string>> = {
  '-log_time': NEWEST_FIRST,
  log_time: 'ORDER BY e.log_time, e.id',
  '-first_seen': 'ORDER BY e.first_seen DESC, e.id DESC',
  first_seen: 'ORDER BY e.first_seen, e.id',
  '-count': 'ORDER BY e.count DESC, e.id DESC',
  count: 'ORDER BY e.count, e.id',
};

/** The newest of those that the index does not know. */
const STALE = 'SELECT id FROM (SELECT id FROM errlog WHERE text_stale ORDER BY id DESC LIMIT ?) stale';

/** What was found: ids in the order of the list; `capped` where there may be more. */
export interface Found {
  readonly ids: readonly number[];
  readonly capped: boolean;
}

/** A page of the groups whose text contains `q`. */
export async function searchPage(db: Database, query: ListQuery, q: string): Promise<ErrlogPage> {
  const { slice, detail } = query;
  const { ids, capped } = await findText(db, query, q);
  const page = ids.slice(slice.offset, slice.offset + slice.limit);
  const entries = new Map((await errlogByIds(db.read.sql, page, detail)).map((entry) => [entry.id, entry]));
  const data = page.flatMap((id) => entries.get(id) ?? []);
  return { data, meta: capped ? { count: ids.length, capped: true } : { count: ids.length } };
}

/** The groups of a filter whose text contains `q`, at most {@link COUNT_MAX}. */
export async function findText(db: Database, query: Pick<ListQuery, 'filter' | 'sort'>, q: string): Promise<Found> {
  const matches = new Where().also(likeText('e.log'), likePattern(q));
  return (await findByIndex(db, query, q, matches)) ?? (await findByReading(db, query, matches));
}

async function findByIndex(
  { dialect, read: { sql } }: Database,
  { filter, sort }: Pick<ListQuery, 'filter' | 'sort'>,
  q: string,
  matches: Where,
): Promise<Found | undefined> {
  const named = indexQuery(dialect, q);
  if (named === undefined) return undefined;
  const counting = cached(`SELECT count(*) AS n FROM (${named.ids} LIMIT ?) named`);
  const size = await sql.get<{ n: number }>(counting, named.value, NAMED_MAX + 1);
  if ((size?.n ?? 0) > NAMED_MAX) return undefined;
  const where = filterWhere(filter).also(`e.id IN (${named.ids} UNION ALL ${STALE})`, named.value, LOOK_MAX);
  const text = `SELECT e.id FROM errlog e${where.text} AND ${matches.parts.join()} ${ORDERS[sort]} LIMIT ?`;
  const rows = await sql.all<{ id: number }>(cached(text), ...where.values, ...matches.values, COUNT_MAX + 1);
  return upTo(rows, false);
}

async function findByReading(
  { read: { sql } }: Database,
  { filter, sort }: Pick<ListQuery, 'filter' | 'sort'>,
  matches: Where,
): Promise<Found> {
  const where = filterWhere(filter);
  // The order by count cannot be read along an index: then the newest are looked at.
  const along = sort === 'count' || sort === '-count' ? NEWEST_FIRST : ORDERS[sort];
  const looked = `SELECT e.id, e.log, e.log_time, e.first_seen, e.count FROM errlog e${where.text} ${along} LIMIT ?`;
  const text = `SELECT e.id FROM (${looked}) e${matches.text} ${ORDERS[sort]} LIMIT ?`;
  const values: SqlValue[] = [...where.values, LOOK_MAX, ...matches.values];
  const rows = await sql.all<{ id: number }>(cached(text), ...values, COUNT_MAX + 1);
  const { q: _, ...others } = filter;
  return upTo(rows, (await countGroups(sql, others)) > LOOK_MAX);
}

const upTo = (rows: readonly { id: number }[], more: boolean): Found => ({
  ids: rows.slice(0, COUNT_MAX).map(({ id }) => id),
  capped: more || rows.length > COUNT_MAX,
});
