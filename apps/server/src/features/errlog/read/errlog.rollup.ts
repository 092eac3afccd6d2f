// The same error on forty nodes as one line with forty sources.
import { AppError, type ErrlogEntry } from '@quarterdeck/core';
import type { Database, Sql } from '@quarterdeck/core/db';
import { cached, inJson, levelsOf, Where } from './errlog.filter.ts';
import { ANY } from './errlog.rank.ts';
import { type ErrlogPage, errlogByIds, type ListQuery, NEWEST_FIRST } from './errlog.rows.ts';
import { someGroups } from './errlog.some.ts';

/** Groups looked at for one page; behind them there may be more. */
const LOOK_MAX = 100_000;

/** What the groups of an error add up to. */
interface Sum {
  readonly sources: number;
  readonly count: number;
  readonly first_seen: number;
}

/** The sums of the errors of some groups, by the id of the group. */
async function sumsOf({ dialect, read: { sql } }: Database, json: string): Promise<Map<number, Sum>> {
  const text = `SELECT p.id, count(*) AS sources, CAST(sum(e.count) AS bigint) AS count, min(e.first_seen) AS first_seen
    FROM errlog p JOIN errlog e ON e.fingerprint = p.fingerprint AND e.level = p.level AND e.app_id = p.app_id
    WHERE ${inJson(dialect, 'p.id')} GROUP BY p.id`;
  const rows = await sql.all<Sum & { id: number }>(cached(text), json);
  return new Map(rows.map(({ id, ...sum }) => [id, sum]));
}

interface Member {
  readonly id: number;
  readonly log_time: number;
  readonly fingerprint: string;
  readonly level: number;
  readonly app_id: number;
}

/** A page of errors, each shown as its newest group. */
export async function rollupPage(db: Database, query: ListQuery): Promise<ErrlogPage> {
  if (query.sort !== '-log_time') {
    const message = 'rolled-up errors come the most recently seen first';
    throw new AppError('validation_failed', {
      message: `query.sort: ${message}`,
      fields: [{ path: 'query.sort', message }],
    });
  }
  const { slice } = query;
  const { sql } = db.read;
  const kept = await keptCount(sql, query);
  const { newest, complete } = await newestOfEach(
    db,
    query,
    kept === undefined ? LOOK_MAX : slice.offset + slice.limit,
  );
  const ids = newest.slice(slice.offset, slice.offset + slice.limit).map(({ id }) => id);
  const sums = await sumsOf(db, JSON.stringify(ids));
  const entries = new Map((await errlogByIds(sql, ids)).map((entry) => [entry.id, entry]));
  const data = ids.flatMap((id) => {
    const [entry, sum] = [entries.get(id), sums.get(id)];
    // Retention was faster.
    if (entry === undefined || sum === undefined) return [];
    return query.detail === 1 ? { ...entry, ...sum } : basic(entry, sum);
  });
  const count = kept ?? newest.length;
  return { data, meta: kept === undefined && !complete ? { count, capped: true } : { count } };
}

const basic = ({ id, level, src, log_time, log }: ErrlogEntry, { count }: { count: number }): ErrlogEntry => ({
  id,
  level,
  count,
  src,
  log_time,
  log,
});

/** How many errors there are, where that is kept. */
async function keptCount(sql: Sql, { filter }: ListQuery): Promise<number | undefined> {
  const { level: _, level_max: __, app_id, ...others } = filter;
  if (Object.values(others).some((value) => value !== undefined)) return undefined;
  const levels = levelsOf(filter);
  const where = new Where()
    .and('src = ?', ANY)
    .and('app_id = ?', app_id)
    .and('level >= ?', levels?.from)
    .and('level <= ?', levels?.to);
  const text = `SELECT CAST(coalesce(sum(n), 0) AS bigint) AS n FROM errlog_total${where.text}`;
  return (await sql.get<{ n: number }>(cached(text), ...where.values))?.n ?? 0;
}

/** The newest group of each error, newest first, up to `wanted` of them; `complete` where there are no more. */
async function newestOfEach(db: Database, { filter }: ListQuery, wanted: number) {
  const seen = new Set<string>();
  const newest: Member[] = [];
  const portions = someGroups(db, {
    filter,
    columns: 'e.id, e.log_time, e.fingerprint, e.level, e.app_id',
    max: LOOK_MAX,
  });
  while (newest.length < wanted) {
    const { done, value } = await portions.next();
    if (done === true) return { newest, complete: !value };
    const text = `SELECT * FROM (${value.text}) e ${NEWEST_FIRST}`;
    for (const member of await db.read.sql.all<Member>(cached(text), ...value.values)) {
      const key = `${member.level},${member.app_id},${member.fingerprint}`;
      if (seen.has(key)) continue;
      seen.add(key);
      newest.push(member);
    }
  }
  return { newest, complete: false };
}
