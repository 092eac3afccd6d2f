// Where the n-th group of an order is, and how many groups are newer than a time: by the buckets of errlog.rank, without
// counting rows.
import { type Sql, type SqlValue, type Statement, statement } from '@quarterdeck/core/db';
import { cached } from '../../sql/cached.ts';
import { scopeWhere } from './filter.ts';
import { bucketOf, type Scope, TOP, WIDTHS } from './time-buckets.ts';

/** Buckets of a height within one bucket of the next. */
const RATIO = 64;

/** Where a group is: among those with `log_time` before `beforeTime`, after skipping `skip`. */
export interface Place {
  readonly beforeTime: number;
  readonly skip: number;
}

/**
 * Where the group at `offset` of the scopes' common order (newest first) is; undefined where there are no more than
 * `offset`. `count` is how many there are.
 */
export async function locate(
  sql: Sql,
  scopes: readonly Scope[],
  offset: number,
  count: number,
): Promise<Place | undefined> {
  let found: Found = { bucket: 0, n: count, skip: offset };
  let [from, to] = [0, Number.MAX_SAFE_INTEGER];
  for (let height = TOP - 1; height >= 0; height -= 1) {
    const next = await findBucket(sql, scopes, { height, from, to }, found);
    if (next === undefined) return undefined;
    found = next;
    from = found.bucket * RATIO;
    to = from + RATIO - 1;
  }
  return { beforeTime: (found.bucket + 1) * WIDTHS[0], skip: found.skip };
}

/** A bucket, how many groups it has, and how many of them are before the wanted one. */
interface Found {
  readonly bucket: number;
  readonly n: number;
  readonly skip: number;
}

/** Buckets that are read beyond those that an even spread would need. */
const SPARE = 2;
/** At the top there may be any number of buckets, but most of the groups are in the newest of them. */
const SPREAD_AT_TOP = 4;

/**
 * The bucket of the group before which there are `skip` of the `n` in a range. Begins at the nearer end, and reads about
 * as many buckets as it takes to get there: making a row of what was read costs more than reading it.
 */
async function findBucket(
  sql: Sql,
  scopes: readonly Scope[],
  range: { readonly height: number; readonly from: number; readonly to: number },
  { n: total, skip }: Found,
): Promise<Found | undefined> {
  const newestFirst = skip * 2 < total;
  const walk = walkStatement(scopes.length, newestFirst);
  let left = newestFirst ? skip : total - 1 - skip;
  let { from, to } = range;
  const spread = range.height === TOP - 1 ? SPREAD_AT_TOP : RATIO;
  for (;;) {
    const atOnce = SPARE + Math.ceil((spread * Math.max(0, left)) / total);
    const values: SqlValue[] = scopes.flatMap(({ src, level }) => [range.height, src, level, from, to]);
    const buckets = await sql.all<{ bucket: number; n: number }>(walk, ...values, atOnce);
    for (const { bucket, n } of buckets) {
      if (n > left) return { bucket, n, skip: newestFirst ? left : n - 1 - left };
      left -= n;
    }
    const last = buckets.at(-1);
    if (last === undefined || buckets.length < atOnce) return undefined;
    if (newestFirst) to = last.bucket - 1;
    else from = last.bucket + 1;
  }
}

const walks = new Map<string, Statement>();

function walkStatement(scopeCount: number, newestFirst: boolean): Statement {
  const key = `${scopeCount},${newestFirst}`;
  const known = walks.get(key);
  if (known !== undefined) return known;
  const one =
    'SELECT bucket, n FROM errlog_rank WHERE height = ? AND src = ? AND level = ? AND bucket >= ? AND bucket <= ?';
  const all =
    scopeCount === 1
      ? one
      : `SELECT bucket, CAST(sum(n) AS bigint) AS n FROM (${Array(scopeCount).fill(one).join(' UNION ALL ')}) x GROUP BY bucket`;
  const made = statement(`${all} ORDER BY bucket ${newestFirst ? 'DESC' : 'ASC'} LIMIT ?`);
  walks.set(key, made);
  return made;
}

const NEWER = `SELECT coalesce(sum(n), 0) AS n FROM errlog_rank
  WHERE height = ? AND src = ? AND level = ? AND bucket > ? AND bucket <= ?`;
const ALL_NEWER = statement(
  `SELECT CAST(sum(n) AS bigint) AS n FROM (${Array(TOP).fill(NEWER).join(' UNION ALL ')}) newer`,
);

/** How many groups of the scopes have a `log_time` after a time, in Unix seconds. */
export async function newerThan(sql: Sql, scopes: readonly Scope[], time: number): Promise<number> {
  let newer = 0;
  for (const { src, level } of scopes) {
    // What is in the same bucket at a height is looked at more closely at the height below, and at the lowest one by one.
    const values: SqlValue[] = [];
    for (let height = 0; height < TOP; height += 1) {
      const bucket = bucketOf(time, height);
      const last = height === TOP - 1 ? Number.MAX_SAFE_INTEGER : (bucketOf(time, height + 1) + 1) * RATIO - 1;
      values.push(height, src, level, bucket, last);
    }
    newer += (await sql.get<{ n: number }>(ALL_NEWER, ...values))?.n ?? 0;
    const edge = scopeWhere({ src, level })
      .andIf('e.log_time > ?', time)
      .andIf('e.log_time < ?', (bucketOf(time, 0) + 1) * WIDTHS[0]);
    newer +=
      (await sql.get<{ n: number }>(cached(`SELECT count(*) AS n FROM errlog e${edge.text}`), ...edge.values))?.n ?? 0;
  }
  return newer;
}
