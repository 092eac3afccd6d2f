// Columns and orders of groups.
import type { ErrlogEntry, ErrlogFilter, ErrlogSort, Slice } from '@quarterdeck/core';
import { type Sql, statement } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';
import { HOST, toNodeId } from './sources.ts';

/**
 * A page of groups. `capped`: there are more groups than `count`. `complete` comes with a search: false where its time
 * ran out.
 */
export interface ErrlogPage {
  readonly data: ErrlogEntry[];
  readonly meta: {
    readonly count: number;
    readonly capped?: true;
    readonly complete?: boolean;
    readonly next?: string | null;
  };
}

/** Orders of levels and of source names, whose parts are in the order of time. */
export type PartSort = 'level' | '-level' | 'source' | '-source';

/** Orders by a column of the groups. */
export type RowSort = Exclude<ErrlogSort, PartSort>;

/** A query of the list. */
export interface ListQuery<Sort extends ErrlogSort = RowSort> {
  readonly filter: ErrlogFilter;
  readonly sort: Sort;
  readonly rollup: boolean;
  readonly slice: Slice;
  /** Place at which a read goes on; empty begins one. It replaces the offset of the slice. */
  readonly cursor?: string | undefined;
  /** 1 adds our fields to those of the specification. */
  readonly detail: number;
}

const BASIC = 'e.id, e.level, e.count, e.src, e.log_time, e.log';
/** All columns of a group, of `errlog e` and its `source s`. */
export const DETAIL_COLUMNS = `${BASIC}, e.first_seen, e.state, e.state_since, e.until, e.until_time, e.note, e.app_id, e.node_type,
  e.fingerprint, coalesce(e.service, '') AS service, s.node_id, ${HOST} AS source,
  ${HOST} AS host`;

/** Newest first; `id` breaks ties. */
export const NEWEST_FIRST = 'ORDER BY e.log_time DESC, e.id DESC';

/** The orders of a list; `id` breaks ties. */
export const ORDERS: Readonly<Record<RowSort | 'magnitude' | '-magnitude', string>> = {
  '-log_time': NEWEST_FIRST,
  log_time: 'ORDER BY e.log_time, e.id',
  '-first_seen': 'ORDER BY e.first_seen DESC, e.id DESC',
  first_seen: 'ORDER BY e.first_seen, e.id',
  '-count': 'ORDER BY e.count DESC, e.id DESC',
  count: 'ORDER BY e.count, e.id',
  '-magnitude': 'ORDER BY e.magnitude DESC, e.id DESC',
  magnitude: 'ORDER BY e.magnitude, e.id',
};

/** `SELECT ... FROM ...` of groups, in either shape. */
export const select = (detail: number, from = 'errlog e') =>
  detail === 1 ? `SELECT ${DETAIL_COLUMNS} FROM ${from} JOIN source s ON s.id = e.src` : `SELECT ${BASIC} FROM ${from}`;

/** Converts a row to its form on the wire. */
export const toDetail = (row: ErrlogEntry): ErrlogEntry => ({ ...row, node_id: toNodeId(row.node_id) });

const byIds = (detail: number) =>
  statement({
    sqlite: `${select(detail)} WHERE ${inJson('sqlite', 'e.id')} ${NEWEST_FIRST}`,
    postgresql: `${select(detail)} WHERE ${inJson('postgresql', 'e.id').replace('?', '$1')} ${NEWEST_FIRST}`,
  });
const BASIC_BY_IDS = byIds(0);
const DETAIL_BY_IDS = byIds(1);

/** Reads groups by id, newest first. */
export async function errlogByIds(sql: Sql, ids: readonly number[], detail = 1): Promise<ErrlogEntry[]> {
  if (ids.length === 0) return [];
  const json = JSON.stringify(ids);
  if (detail !== 1) return sql.all<ErrlogEntry>(BASIC_BY_IDS, json);
  return (await sql.all<ErrlogEntry>(DETAIL_BY_IDS, json)).map(toDetail);
}
