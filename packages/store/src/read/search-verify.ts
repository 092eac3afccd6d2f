// Verification of a text search: reads candidates, or the groups of the list one after the other.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Database } from '@quarterdeck/core/db';
import { cached, inJson, Where } from '@quarterdeck/core/sql';
import { ORDERS, type RowSort } from '../tables/columns.ts';
import { filterWhere, type GroupFilter, isCounted, isEmptyFilter } from '../tables/filter.ts';
import { countGroups } from './count.ts';
import {
  asQuery,
  columnOf,
  EXACT_BELOW,
  hasMoreThan,
  type IndexedSort,
  inOrder,
  merged,
  type Ordered,
  orderOf,
  PORTION,
  portionsOf,
} from './ordered-scan.ts';
import { FEW } from './search-candidates.ts';

/** Most groups read in the order of the list, and most groups unknown to the index. */
export const VERIFY_MAX = 25_000;

/** A text search. */
export interface Search {
  readonly filter: GroupFilter;
  readonly sort: RowSort;
  /** Condition that decides. */
  readonly matches: Where;
  /** Most matches counted. */
  readonly max: number;
}

/** Matches of a search in the order of the list. `capped`: there may be more. */
export interface TextMatches {
  readonly rows: readonly GroupRow[];
  readonly capped: boolean;
  /** Neither enough matches were found nor all groups read. */
  readonly unfinished?: boolean;
}

/** A group with the columns of all orders. */
export interface GroupRow {
  readonly id: number;
  readonly log_time: number;
  readonly first_seen: number;
  readonly count: number;
  readonly magnitude: number;
}

/** The columns of {@link GroupRow}, of `errlog e`. */
export const ROW_COLUMNS = 'e.id, e.log_time, e.first_seen, e.count, e.magnitude';

/** Filters candidate ids down to the groups that match the search. */
export async function verifyCandidates(db: Database, search: Search, named: ReadonlySet<number>): Promise<TextMatches> {
  const { filter, sort, matches, max } = search;
  const found = await rowsById(db, named, filterWhere(db.dialect, filter).merge(matches));
  return { rows: inListOrder(found, sort).slice(0, max), capped: found.length > max };
}

/** Reads the groups among some ids that meet a condition, by rising id. */
export async function rowsById(db: Database, named: Iterable<number>, condition: Where): Promise<GroupRow[]> {
  const found: GroupRow[] = [];
  // By id, the order of the table.
  const ids = [...named].sort((a, b) => a - b);
  for (let at = 0; at < ids.length; at += PORTION) {
    if (at > 0) await yieldToEventLoop();
    found.push(...(await rowsOf(db, ids.slice(at, at + PORTION), condition)));
  }
  return found;
}

/**
 * Reads the groups among some ids, in rising order, that meet a condition. SQLite would choose an index of the
 * condition and read all of it.
 */
function rowsOf({ dialect, read: { sql } }: Database, ids: readonly number[], condition: Where): Promise<GroupRow[]> {
  const from = dialect === 'sqlite' ? 'errlog e NOT INDEXED' : 'errlog e';
  const [first = 0, last = -1] = [ids[0], ids.at(-1)];
  // New groups have consecutive ids: a range needs no look-ups.
  const isRange = last - first + 1 === ids.length;
  const where = isRange
    ? new Where().and('e.id >= ?', first).and('e.id <= ?', last).merge(condition)
    : new Where().and(inJson(dialect, 'e.id'), JSON.stringify(ids)).merge(condition);
  return sql.all<GroupRow>(cached(`SELECT ${ROW_COLUMNS} FROM ${from}${where.text}`), ...where.values);
}

/** Sorts groups in an order of the list. */
export function inListOrder(rows: readonly GroupRow[], sort: RowSort | IndexedSort): GroupRow[] {
  const column = columnOf(sort);
  const sign = sort.startsWith('-') ? -1 : 1;
  return [...rows].sort((a, b) => sign * (a[column] - b[column] || a.id - b.id));
}

/** Tells whether an order has no index of its own. */
export const isByCount = (sort: RowSort): sort is 'count' | '-count' => columnOf(sort) === 'count';

/**
 * Reads the list until enough groups match, past `pass` groups at most: all of them, or only candidates. A filter in
 * an order by count reads the newest groups.
 */
export async function scanForText(
  db: Database,
  { filter, sort, matches, max: most }: Search,
  pass: number,
  named?: ReadonlySet<number>,
): Promise<TextMatches> {
  const ordered = await inOrder(db, filter, isByCount(sort) ? nearCount(sort, isEmptyFilter(filter)) : sort);
  const max = (await areFew(db, filter, ordered)) ? FEW : most;
  if (db.dialect === 'postgresql' && named === undefined && ordered.sort === sort) {
    return scanAtOnce(db, ordered, matches, { max, pass });
  }
  const portions = portionsOf(db.read.sql, ordered, pass);
  const found: GroupRow[] = [];
  let looked = 0;
  let more: boolean | undefined;
  while (more === undefined && looked < VERIFY_MAX && placed(found, sort, ordered.sort) <= max) {
    const { done, value } = await portions.next();
    if (done === true) {
      more = value;
    } else if (named === undefined) {
      const { text, values } = asQuery(value, ROW_COLUMNS, matches);
      found.push(...(await db.read.sql.all<GroupRow>(cached(`${text} ${orderOf(value.sort)}`), ...values)));
    } else {
      const { text, values } = asQuery(value, 'e.id');
      const passed = await db.read.sql.all<{ id: number }>(cached(text), ...values);
      const ids = passed.flatMap(({ id }) => (named.has(id) ? id : [])).sort((a, b) => a - b);
      looked += ids.length;
      if (ids.length > 0) found.push(...inListOrder(await rowsOf(db, ids, matches), value.sort));
    }
  }
  const enough = found.length > max;
  return {
    rows: inListOrder(found, sort).slice(0, max),
    capped: enough || more !== false,
    unfinished: !enough && more !== false,
  };
}

/** Scans with one statement where the database works in a process of its own. It stops after one match too many. */
async function scanAtOnce(
  db: Database,
  ordered: Ordered,
  matches: Where,
  { max, pass }: { readonly max: number; readonly pass: number },
): Promise<TextMatches> {
  const { sql } = db.read;
  const { text, values } = merged(ordered, `${ROW_COLUMNS}, e.log`, pass);
  const order = orderOf(ordered.sort);
  const scan = `SELECT ${ROW_COLUMNS} FROM (${text} ${order} LIMIT ?) e${matches.text} ${ORDERS[ordered.sort]} LIMIT ?`;
  const rows = await sql.all<GroupRow>(cached(scan), ...values, pass, ...matches.values, max + 1);
  const enough = rows.length > max;
  const unread = !enough && (await hasMoreThan(sql, ordered, pass));
  return { rows: rows.slice(0, max), capped: enough || unread, unfinished: unread };
}

/** Tells whether all groups of a filter are few enough to be counted. */
const areFew = async (db: Database, filter: GroupFilter, ordered: Ordered): Promise<boolean> =>
  isCounted(filter) ? (await countGroups(db, filter)) <= FEW : !(await hasMoreThan(db.read.sql, ordered, FEW));

function nearCount(sort: 'count' | '-count', isWhole: boolean): IndexedSort {
  if (!isWhole) return '-log_time';
  return sort === 'count' ? 'magnitude' : '-magnitude';
}

/** Number of the matches whose place is final: no later one will come before them. */
function placed(found: readonly GroupRow[], sort: RowSort, along: IndexedSort): number {
  if (along === sort) return found.length;
  const last = found.at(-1)?.magnitude ?? 0;
  if (columnOf(along) !== 'magnitude') return 0;
  return last < EXACT_BELOW ? found.length : found.filter(({ magnitude }) => magnitude !== last).length;
}
