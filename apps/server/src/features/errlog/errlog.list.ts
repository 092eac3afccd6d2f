// Reads of the error log. Every filter and the order have an index; counts and deep pages come from errlog.rank.
import type { ErrlogEntry, Page, Slice } from '@quarterdeck/core';
import { type Sql, type SqlValue, type Statement, statement } from '@quarterdeck/core/db';
import { ANY, locate, type Scope, scopesOf } from './errlog.rank.ts';

/** What the list can be narrowed to. */
export interface ErrlogFilter {
  readonly level?: number | undefined;
  readonly level_max?: number | undefined;
  readonly src?: number | undefined;
  readonly node_type?: number | undefined;
  readonly node_id?: number | undefined;
  readonly app_id?: number | undefined;
  readonly req_id?: string | undefined;
  readonly start_time?: number | undefined;
  readonly end_time?: number | undefined;
}

const BASIC = 'e.id, e.level, e.count, e.src, e.log_time, e.log';
const DETAIL = `${BASIC}, e.first_seen, e.state, e.app_id, e.node_type, s.node_id, s.name AS source`;
const ORDER = 'ORDER BY e.log_time DESC, e.id DESC';

const statements = new Map<string, Statement>();

/** A statement made of parts, prepared once per combination. */
function cached(text: string): Statement {
  const known = statements.get(text);
  if (known !== undefined) return known;
  const made = statement(text);
  statements.set(text, made);
  return made;
}

const select = (detail: number, from: string) =>
  detail === 1 ? `SELECT ${DETAIL} FROM ${from} JOIN source s ON s.id = e.src` : `SELECT ${BASIC} FROM ${from}`;

/** Conditions and their values. */
class Where {
  readonly parts: string[] = [];
  readonly values: SqlValue[] = [];

  and(condition: string, value: SqlValue | undefined): this {
    if (value !== undefined) {
      this.parts.push(condition);
      this.values.push(value);
    }
    return this;
  }

  get text(): string {
    return this.parts.length === 0 ? '' : ` WHERE ${this.parts.join(' AND ')}`;
  }
}

/** Beyond this many scopes a page is found by scanning the order with the filter. */
const SCOPES_MAX = 64;
/** Up to here, skipping rows of the index is cheaper than asking where they are. */
const SKIP_MAX = 500;

const isScoped = (filter: ErrlogFilter) => filter.app_id === undefined && filter.req_id === undefined;
const isTimed = (filter: ErrlogFilter) => filter.start_time !== undefined || filter.end_time !== undefined;

function levelsOf({ level, level_max }: ErrlogFilter): { from: number; to: number } | undefined {
  if (level !== undefined) return { from: level, to: level_max === undefined ? level : Math.min(level, level_max) };
  return level_max === undefined ? undefined : { from: 0, to: level_max };
}

/** A page of groups, newest first, and how many there are. */
export async function listErrlog(
  sql: Sql,
  filter: ErrlogFilter,
  slice: Slice,
  detail: number,
): Promise<Page<ErrlogEntry>> {
  const page = isScoped(filter) ? await scopedPage(sql, filter, slice, detail) : undefined;
  const { data, meta } = page ?? (await filteredPage(sql, filter, slice, detail));
  return { data: detail === 1 ? data.map(toDetail) : data, meta };
}

/** -1 in the table is none on the wire. */
const toDetail = (row: ErrlogEntry): ErrlogEntry => ({
  ...row,
  node_id: row.node_id === -1 ? null : (row.node_id ?? null),
});

async function scopedPage(sql: Sql, filter: ErrlogFilter, slice: Slice, detail: number) {
  const scopes = await scopesOf(sql, {
    levels: levelsOf(filter),
    src: filter.src,
    nodeType: filter.node_type,
    nodeId: filter.node_id,
  });
  if (scopes.length > SCOPES_MAX) return undefined;
  if (scopes.length === 0) return { data: [], meta: { count: 0 } };
  const count = isTimed(filter) ? await countFiltered(sql, filter) : scopes.reduce((sum, scope) => sum + scope.n, 0);
  if (slice.limit === 0 || slice.offset >= count) return { data: [], meta: { count } };

  let { offset } = slice;
  let before: number | undefined;
  if (offset > SKIP_MAX && !isTimed(filter)) {
    const place = await locate(sql, scopes, offset);
    if (place === undefined) return { data: [], meta: { count } };
    before = place.beforeTime;
    offset = place.skip;
  }
  const data = await scopeRows(sql, scopes, filter, before, offset, slice.limit, detail);
  return { data, meta: { count } };
}

function scopeWhere({ src, level }: Scope, filter: ErrlogFilter, before: number | undefined): Where {
  return new Where()
    .and('e.src = ?', src === ANY ? undefined : src)
    .and('e.level = ?', level === ANY ? undefined : level)
    .and('e.log_time < ?', before)
    .and('e.log_time >= ?', filter.start_time)
    .and('e.log_time <= ?', filter.end_time);
}

/** Rows of the scopes' common order. Each scope has an index in that order, so several are merged, never sorted whole. */
function scopeRows(
  sql: Sql,
  scopes: readonly Scope[],
  filter: ErrlogFilter,
  before: number | undefined,
  offset: number,
  limit: number,
  detail: number,
): Promise<ErrlogEntry[]> {
  const wheres = scopes.map((scope) => scopeWhere(scope, filter, before));
  const [only] = wheres;
  if (wheres.length === 1 && only !== undefined) {
    const text = `${select(detail, 'errlog e')}${only.text} ${ORDER} LIMIT ? OFFSET ?`;
    return sql.all<ErrlogEntry>(cached(text), ...only.values, limit, offset);
  }
  const runs = wheres.map(
    ({ text }) => `SELECT * FROM (SELECT e.id, e.log_time FROM errlog e${text} ${ORDER} LIMIT ?) r`,
  );
  const merged = `SELECT id FROM (${runs.join(' UNION ALL ')}) e ${ORDER} LIMIT ? OFFSET ?`;
  const text = `${select(detail, `(${merged}) p JOIN errlog e ON e.id = p.id`)} ${ORDER}`;
  const values = wheres.flatMap((where) => [...where.values, offset + limit]);
  return sql.all<ErrlogEntry>(cached(text), ...values, limit, offset);
}

function filterWhere(filter: ErrlogFilter): Where {
  const levels = levelsOf(filter);
  const where = new Where().and('e.app_id = ?', filter.app_id).and('e.src = ?', filter.src);
  if (levels !== undefined && levels.from === levels.to) where.and('e.level = ?', levels.from);
  else where.and('e.level >= ?', levels?.from).and('e.level <= ?', levels?.to);
  return (
    where
      .and('e.node_type = ?', filter.node_type)
      .and('e.src IN (SELECT id FROM source WHERE node_id = ?)', filter.node_id)
      // Its index leaves out the many occurrences without a request id, and is used only where the query does too.
      .and("e.id IN (SELECT errlog_id FROM errlog_event WHERE req_id = ? AND req_id <> '')", filter.req_id)
      .and('e.log_time >= ?', filter.start_time)
      .and('e.log_time <= ?', filter.end_time)
  );
}

async function countFiltered(sql: Sql, filter: ErrlogFilter): Promise<number> {
  const where = filterWhere(filter);
  const row = await sql.get<{ n: number }>(cached(`SELECT count(*) AS n FROM errlog e${where.text}`), ...where.values);
  return row?.n ?? 0;
}

async function filteredPage(sql: Sql, filter: ErrlogFilter, slice: Slice, detail: number) {
  const count = await countFiltered(sql, filter);
  if (slice.limit === 0 || slice.offset >= count) return { data: [], meta: { count } };
  const where = filterWhere(filter);
  const text = `${select(detail, 'errlog e')}${where.text} ${ORDER} LIMIT ? OFFSET ?`;
  const data = await sql.all<ErrlogEntry>(cached(text), ...where.values, slice.limit, slice.offset);
  return { data, meta: { count } };
}

/** Groups by id, in the shape of `detail=1`. */
export async function errlogByIds(sql: Sql, ids: readonly number[]): Promise<ErrlogEntry[]> {
  if (ids.length === 0) return [];
  const text = `${select(1, 'errlog e')} WHERE e.id IN (${Array(ids.length).fill('?').join(', ')}) ${ORDER}`;
  return (await sql.all<ErrlogEntry>(statement(text), ...ids)).map(toDetail);
}
