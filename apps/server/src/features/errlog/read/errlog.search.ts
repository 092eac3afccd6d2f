// Text search. What few groups contain is found by the index of search-index.ts; what many contain, by reading the list
// and looking. The condition on the text itself always decides, and groups whose latest text the index does not know yet
// are looked at too, so the answer is true at any moment.
import { type Database, statement } from '@quarterdeck/core/db';
import { among } from '../../../sql/among.ts';
import { cached } from '../../../sql/cached.ts';
import { Where } from '../../../sql/where.ts';
import { countGroups, filterWhere } from './errlog.filter.ts';
import { asQuery, columnOf, inOrder, orderOf, portionsOf } from './errlog.order.ts';
import { type ErrlogPage, errlogByIds, type ListQuery, ORDERS } from './errlog.rows.ts';
import { type IndexQuery, indexQuery } from './search-index.ts';
import { likePattern, likeText } from './search-text.ts';

/** Up to so many groups that the index names are all looked at, and counted. */
const FEW = 5_000;
/** Up to here the list is walked for those that the index names; beyond, the text is common, and the list is read. */
const SOME = 20_000;
/** Groups that are looked at where the list is read, and of those that the index does not know yet. */
const LOOK_MAX = 25_000;
/** Where more than a few are named, counting stops here, or at the end of the page. */
const COUNT_MAX = 500;

/** The newest of those that the index does not know. */
const STALE = 'SELECT id FROM (SELECT id FROM errlog WHERE text_stale ORDER BY id DESC LIMIT ?) stale';

/** One of those that are not even looked at. */
const UNSEEN = statement('SELECT id FROM errlog WHERE text_stale ORDER BY id DESC LIMIT 1 OFFSET ?');

/** What was found: ids in the order of the list; `capped` where there may be more. */
export interface Found {
  readonly ids: readonly number[];
  readonly capped: boolean;
}

/** What is looked for, and how many of it are wanted. */
export interface TextQuery extends Pick<ListQuery, 'filter' | 'sort'> {
  /** Where the page ends; 0 where there is no page. */
  readonly wanted?: number;
}

/** A page of the groups whose text contains `q`. */
export async function searchPage(db: Database, query: ListQuery, q: string): Promise<ErrlogPage> {
  const { filter, sort, slice, detail } = query;
  const wanted = slice.offset + slice.limit;
  const { ids, capped } = await findText(db, { filter, sort, wanted }, q);
  const page = ids.slice(slice.offset, wanted);
  const entries = new Map((await errlogByIds(db.read.sql, page, detail)).map((entry) => [entry.id, entry]));
  const data = page.flatMap((id) => entries.get(id) ?? []);
  return { data, meta: capped ? { count: ids.length, capped: true } : { count: ids.length } };
}

/** The groups of a filter whose text contains `q`. */
export async function findText(db: Database, query: TextQuery, q: string): Promise<Found> {
  const matches = new Where().also(likeText(db.dialect, 'e.log'), likePattern(q));
  const named = indexQuery(db.dialect, q);
  if (named === undefined) return findByReading(db, query, matches);
  const counting = cached(`SELECT count(*) AS n FROM (${named.ids} LIMIT ?) named`);
  const size = (await db.read.sql.get<{ n: number }>(counting, named.value, SOME + 1))?.n ?? 0;
  // PostgreSQL cannot be told how to walk the list, and chooses badly.
  if (size > (db.dialect === 'sqlite' ? SOME : FEW)) return findByReading(db, query, matches);
  return findNamed(db, query, named, matches, size <= FEW);
}

/**
 * Among those that the index names. A few are fetched and put in order; of more the order is walked, and only those that
 * are named are fetched: SQLite has to be told.
 */
async function findNamed(
  { dialect, read: { sql } }: Database,
  { filter, sort, wanted = 0 }: TextQuery,
  named: IndexQuery,
  matches: Where,
  few: boolean,
): Promise<Found> {
  const walked = !few && sort === '-log_time';
  const from = walked ? 'errlog e INDEXED BY errlog_log_time_id_idx' : 'errlog e';
  const ids = `${named.ids} UNION ALL ${STALE}`;
  const where = filterWhere(dialect, filter).also(among(dialect, 'e.id', ids), named.value, LOOK_MAX);
  const text = `SELECT e.id FROM ${from}${where.text} AND ${matches.parts.join()} ${ORDERS[sort]} LIMIT ?`;
  const max = few ? FEW : Math.max(COUNT_MAX, wanted);
  const rows = await sql.all<{ id: number }>(cached(text), ...where.values, ...matches.values, max + 1);
  const behind = await sql.all(UNSEEN, LOOK_MAX);
  return upTo(rows, max, behind.length > 0);
}

/** The groups of the list are looked at one after the other; in the orders by count the newest of them. */
async function findByReading(db: Database, { filter, sort, wanted = 0 }: TextQuery, matches: Where): Promise<Found> {
  const { sql } = db.read;
  const { q: _, ...others } = filter;
  const byCount = sort === 'count' || sort === '-count';
  const along = byCount ? '-log_time' : sort;
  const groups = await countGroups(db, others);
  const max = groups <= FEW ? FEW : Math.max(COUNT_MAX, wanted);
  const found: { id: number; count: number }[] = [];
  for await (const portion of portionsOf(sql, await inOrder(db, others, along), LOOK_MAX)) {
    const { text, values } = asQuery(portion, `e.id, e.count, e.${columnOf(along)}`, matches);
    const inTheirOrder = cached(`${text} ${orderOf(along)}`);
    found.push(...(await sql.all<{ id: number; count: number }>(inTheirOrder, ...values)));
    if (found.length > max && !byCount) break;
  }
  const sign = sort === 'count' ? 1 : -1;
  if (byCount) found.sort((a, b) => sign * (a.count - b.count || a.id - b.id));
  return upTo(found, max, groups > LOOK_MAX);
}

const upTo = (rows: readonly { id: number }[], max: number, more: boolean): Found => ({
  ids: rows.slice(0, max).map(({ id }) => id),
  capped: more || rows.length > max,
});
