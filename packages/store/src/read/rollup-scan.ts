// Errors among the newest groups of a selection: each is shown as its newest group.
import type { ErrlogSort, Slice } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { cached } from '@quarterdeck/core/sql';
import type { GroupFilter } from '../tables/filter.ts';
import { needsSearch } from './find-groups.ts';
import type { GroupReader } from './line-search.ts';
import { newestGroups } from './newest-groups.ts';
import { hasMoreThan, inOrder, merged, type Ordered, orderOf, PORTION, type Query } from './ordered-scan.ts';
import type { Selection } from './selection.ts';

/** A page of errors that is looked for. */
export interface WantedErrors {
  /** By the newest group, or by the sum of the counts. */
  readonly sort: ErrlogSort;
  readonly slice: Slice;
  /** Most groups that are read. */
  readonly max: number;
}

/** The newest groups of the errors of a page. */
export interface FoundErrors {
  readonly ids: readonly number[];
  /** Number of errors among the groups that were read. */
  readonly found: number;
  /** True if these are all errors. */
  readonly complete: boolean;
}

/** Finds a page of errors and counts them. PostgreSQL joins groups to errors: to send them costs as much as to read. */
export async function findErrors(
  reader: GroupReader,
  selection: Selection,
  wanted: WantedErrors,
): Promise<FoundErrors> {
  const { db } = reader;
  if (db.dialect === 'postgresql' && !needsSearch(selection)) return countInDatabase(db, selection.groups, wanted);
  const { sort, slice, max } = wanted;
  const { newest, complete } = await newestOfEach(reader, selection, Number.POSITIVE_INFINITY, max);
  if (sort !== '-log_time') {
    // The scan is newest first, and sorting is stable: the newest of equally frequent errors comes first.
    newest.sort((a, b) => (sort === 'count' ? a.count - b.count : b.count - a.count));
  }
  return { ids: idsIn(newest, slice), found: newest.length, complete };
}

/** Finds the newest groups of a page of errors, newest first, and reads no more groups than that takes. */
export async function errorsOnPage(
  reader: GroupReader,
  selection: Selection,
  { slice, max }: Pick<WantedErrors, 'slice' | 'max'>,
): Promise<readonly number[]> {
  const { db } = reader;
  const end = slice.offset + slice.limit;
  if (db.dialect !== 'postgresql' || needsSearch(selection)) {
    return idsIn((await newestOfEach(reader, selection, end, max)).newest, slice);
  }
  const ordered = await inOrder(db, selection.groups, '-log_time');
  for (let size = Math.min(max, end + PORTION); ; size = Math.min(max, 2 * size)) {
    const { text, values } = errorsOf(ordered, size, []);
    const page = `SELECT first % ${IDS} AS id FROM (${text}) errors ORDER BY first LIMIT ? OFFSET ?`;
    const statement = cached(page, { plannedEachTime: true });
    const rows = await db.read.sql.all<{ id: number }>(statement, ...values, slice.limit, slice.offset);
    if (rows.length === slice.limit || size === max) return rows.map(({ id }) => id);
  }
}

/**
 * Greater than every id, which rises by one with each group. A place before an id in one number is the cheapest way to
 * the id of the first place.
 */
const IDS = 2 ** 43;

/** Errors of the first `size` groups on PostgreSQL. `first` has the newest group; `sums` are further columns. */
function errorsOf(ordered: Ordered, size: number, sums: readonly string[]): Query {
  const newestFirst = orderOf('-log_time');
  const { text, values } = merged(ordered, 'e.id, e.log_time, e.count, e.fingerprint, e.level, e.app_id', size);
  return {
    text: `SELECT ${[`min(n * ${IDS} + id) AS first`, ...sums].join(', ')}
      FROM (SELECT g.*, row_number() OVER (${newestFirst}) AS n FROM (${text} ${newestFirst} LIMIT ?) g) placed
      GROUP BY fingerprint, level, app_id`,
    values: [...values, size],
  };
}

/** Row of {@link countInDatabase}. */
interface CountedErrors {
  /** Newest groups of the errors of the page. */
  readonly ids: readonly number[];
  readonly errors: number;
  /** Number of the groups that were read. */
  readonly groups: number;
}

async function countInDatabase(
  db: Database,
  filter: GroupFilter,
  { sort, slice: { offset, limit }, max }: WantedErrors,
): Promise<FoundErrors> {
  const { sql } = db.read;
  const ordered = await inOrder(db, filter, '-log_time');
  const isByCount = sort !== '-log_time';
  // Of equally frequent errors the newest comes first.
  const order = isByCount ? `ORDER BY count${sort === 'count' ? '' : ' DESC'}, first` : 'ORDER BY first';
  const sums = ['count(*) AS groups', ...(isByCount ? ['sum(count) AS count'] : [])];
  const { text, values } = errorsOf(ordered, max, sums);
  const counted = `WITH errors AS MATERIALIZED (${text}) SELECT
    (SELECT count(*) FROM errors) AS errors,
    (SELECT CAST(coalesce(sum(groups), 0) AS bigint) FROM errors) AS groups,
    (SELECT coalesce(json_agg(first % ${IDS} ${order}), '[]')
      FROM (SELECT * FROM errors ${order} LIMIT ? OFFSET ?) page) AS ids`;
  const found = await sql.get<CountedErrors>(cached(counted, { plannedEachTime: true }), ...values, limit, offset);
  const { ids, errors, groups } = found ?? { ids: [], errors: 0, groups: 0 };
  return { ids, found: errors, complete: groups < max || !(await hasMoreThan(sql, ordered, max)) };
}

interface Member {
  readonly id: number;
  readonly count: number;
  readonly fingerprint: string;
  readonly level: number;
  readonly app_id: number;
}

/** An error of a scan: its newest group, and the sum of the counts of its groups so far. */
interface ScannedError {
  readonly id: number;
  count: number;
}

const idsIn = (errors: readonly ScannedError[], { offset, limit }: Slice): number[] =>
  errors.slice(offset, offset + limit).map(({ id }) => id);

/** Finds the newest group of each error, newest first, up to `wanted` of them. Counts are whole without that limit. */
async function newestOfEach(reader: GroupReader, selection: Selection, wanted: number, max: number) {
  const seen = new Map<string, ScannedError>();
  const portions = newestGroups(reader, {
    selection,
    columns: 'e.id, e.count, e.log_time, e.fingerprint, e.level, e.app_id',
    max,
  });
  while (seen.size < wanted) {
    const { done, value } = await portions.next();
    if (done === true) return { newest: [...seen.values()], complete: !value };
    const order = `${value.text} ${orderOf('-log_time')}`;
    const members = await reader.db.read.sql.all<Member>(cached(order), ...value.values);
    const places = value.ids && new Map(value.ids.map((id, place) => [id, place]));
    if (places) members.sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
    for (const { id, count, level, app_id, fingerprint } of members) {
      const key = `${level},${app_id},${fingerprint}`;
      const known = seen.get(key);
      if (known === undefined) seen.set(key, { id, count });
      else known.count += count;
    }
  }
  return { newest: [...seen.values()], complete: false };
}
