// Numbers of groups in a span of time by level, source, application, service and state, from indexes alone. Reading a
// group costs thirty times an entry of an index.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ErrlogState } from '@quarterdeck/core';
import type { Database, Sql } from '@quarterdeck/core/db';
import { cached, Where } from '@quarterdeck/core/sql';
import { type GroupFilter, isEmptyFilter } from '../tables/filter.ts';
import { asQuery, firstOf, hasMoreThan, inOrder, merged, type Ordered, orderOf } from './ordered-scan.ts';

/** A number of groups that share the given values. */
export interface Counted {
  readonly src?: number;
  readonly app_id?: number;
  readonly level?: number;
  /** Empty is none, or not known. */
  readonly service?: string;
  readonly state?: ErrlogState;
  readonly n: number;
}

/** Numbers of the groups of a filter. `partial`: there are more groups. */
export interface Kinds {
  readonly counts: readonly Counted[];
  readonly partial: boolean;
}

/** Most values that are looked up in an index. Beyond, the groups are read. */
const VALUES_MAX = 1_000;

/** An index by some columns and time. */
interface TimeIndex {
  readonly indexedBy: string;
  readonly columns: readonly string[];
  /** Condition of the groups in the index. */
  readonly only?: string;
}

const BY_SOURCE: TimeIndex = { indexedBy: 'errlog_src_level_log_time_id_idx', columns: ['src', 'level'] };
const BY_APP: TimeIndex = { indexedBy: 'errlog_app_id_log_time_id_idx', columns: ['app_id'] };
const BY_SERVICE: TimeIndex = { indexedBy: 'errlog_service_log_time_id_idx', columns: ['service'] };
const BY_STATE: TimeIndex = {
  indexedBy: 'errlog_state_log_time_id_idx',
  columns: ['state'],
  only: "state <> 'ongoing'",
};

/**
 * Counts the newest `max` groups of a filter by source, level, application, service and state: all five together on
 * PostgreSQL, otherwise source and level together and each other one alone. Returns undefined where SQLite must read
 * the groups: a filter of more than a span of time, or too many sources, applications or services.
 */
export async function countKindsInSpan(db: Database, filter: GroupFilter, max: number): Promise<Kinds | undefined> {
  const { sql } = db.read;
  if (db.dialect === 'postgresql') return countAtOnce(sql, await inOrder(db, filter, '-log_time'), max);
  const { start_time, end_time, ...others } = filter;
  if (!isEmptyFilter(others)) return undefined;
  for (const index of [BY_SOURCE, BY_APP, BY_SERVICE]) {
    const values = await sql.all(cached(`${valuesOf(index)} LIMIT ?`), VALUES_MAX + 1);
    if (values.length > VALUES_MAX) return undefined;
  }
  const { range, more } = await firstOf(sql, await inOrder(db, { start_time, end_time }, '-log_time'), max);
  // Each count takes some milliseconds.
  await yieldToEventLoop();
  const bySource = await countBy(sql, range, BY_SOURCE);
  await yieldToEventLoop();
  const byApp = await countBy(sql, range, BY_APP);
  await yieldToEventLoop();
  const byService = await countBy(sql, range, BY_SERVICE);
  await yieldToEventLoop();
  const byState = await countBy(sql, range, BY_STATE);
  const ongoing: Counted = { state: 'ongoing', n: Math.max(0, sumOf(bySource) - sumOf(byState)) };
  return { counts: [...bySource, ...byApp, ...byService, ...byState, ongoing].filter(({ n }) => n > 0), partial: more };
}

/** Columns of groups by which they are counted, of `errlog e`. */
export const KIND_COLUMNS = "e.src, e.app_id, e.level, coalesce(e.service, '') AS service, e.state";
/** The same, of a subquery `t`. */
export const BY_KIND = 't.src, t.app_id, t.level, t.service, t.state';

/** Counts with one statement where the database works in a process of its own. One index has all columns. */
async function countAtOnce(sql: Sql, ordered: Ordered, max: number): Promise<Kinds> {
  const { text, values } = merged(ordered, `${KIND_COLUMNS}, e.log_time, e.id`, max);
  const newest = `${text} ${orderOf(ordered.sort)} LIMIT ?`;
  const statement = cached(`SELECT ${BY_KIND}, count(*) AS n FROM (${newest}) t GROUP BY ${BY_KIND}`);
  const counts = await sql.all<Counted>(statement, ...values, max);
  return { counts, partial: sumOf(counts) === max && (await hasMoreThan(sql, ordered, max)) };
}

const sumOf = (counts: readonly Counted[]) => counts.reduce((sum, { n }) => sum + n, 0);

/** SQL of all values in the columns of an index. */
const valuesOf = ({ columns, only = 'TRUE' }: TimeIndex) =>
  `SELECT DISTINCT ${columns.join(', ')} FROM errlog_total WHERE src >= 0 AND ${only}`;

function countBy(sql: Sql, range: Ordered, index: TimeIndex): Promise<Counted[]> {
  const { columns, indexedBy, only } = index;
  const value = new Where();
  for (const column of columns) value.and(`e.${column} = v.${column}`);
  if (only !== undefined) value.and(`e.${only}`);
  const { text, values } = asQuery({ ...range, runs: [value], indexedBy }, 'count(*)');
  const all = `SELECT v.${columns.join(', v.')}, (${text}) AS n FROM (${valuesOf(index)}) v`;
  return sql.all<Counted>(cached(all), ...values);
}
