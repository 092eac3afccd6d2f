// How often errors happened, by time and level. What scopes can express is read from kept counts; for anything else the
// minutes of the groups are added up.
import { type ErrlogFilter, type ErrlogHistogram, LEVELS } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { cached } from '../../../sql/cached.ts';
import { Where } from '../../../sql/where.ts';
import { minuteOf } from '../intake/errlog.counters.ts';
import { isScoped, levelsOf } from './errlog.filter.ts';
import { ANY } from './errlog.rank.ts';
import { someGroups } from './errlog.some.ts';

const DAY_S = 86_400;
/** Nothing is later: PostgreSQL keeps minutes in 32 bits, and the end is one more. */
const LAST_MINUTE = 2 ** 31 - 2;
/** Groups whose minutes are added up. */
const GROUPS_MAX = 10_000;

/** A span of time in Unix seconds, in steps of whole minutes. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

/** A histogram over at most `buckets` buckets; the last 24 hours where the filter does not say. */
export async function errlogHistogram(
  db: Database,
  filter: ErrlogFilter,
  buckets: number,
  nowS: number,
): Promise<ErrlogHistogram> {
  const span = spanOf(filter, buckets, nowS);
  const { start_time: _, end_time: __, ...timeless } = filter;
  const { rows, partial } = isScoped(timeless)
    ? { rows: await keptRows(db, timeless, span), partial: false }
    : await groupRows(db, timeless, span);
  const { start, end, step } = span;
  const result = Array.from({ length: Math.ceil((end - start) / step) }, (_, i) => ({
    time: start + i * step,
    count: 0,
    levels: LEVELS.map(() => 0),
  }));
  for (const { bucket, level, n } of rows) {
    const at = result[bucket];
    if (at === undefined) continue;
    at.count += n;
    at.levels[level] = (at.levels[level] ?? 0) + n;
  }
  return { ...span, buckets: result, ...(partial ? { partial } : {}) };
}

/** The minutes that both ends are in, whole. Where the end is before the start there are none. */
function spanOf({ start_time, end_time }: ErrlogFilter, buckets: number, nowS: number): Span {
  const beginOf = (time: number) => Math.min(minuteOf(time), LAST_MINUTE) * 60;
  const until = beginOf(end_time ?? Math.max(nowS, start_time ?? 0)) + 60;
  const start = beginOf(start_time ?? Math.max(0, until - DAY_S));
  const end = Math.max(start, until);
  return { start, end, step: Math.max(1, Math.ceil((end - start) / 60 / buckets)) * 60 };
}

interface Row {
  readonly bucket: number;
  readonly level: number;
  readonly n: number;
}

function keptRows({ read: { sql } }: Database, filter: ErrlogFilter, span: Span): Promise<Row[]> {
  const levels = levelsOf(filter);
  const where = new Where().also('r.minute >= ?', span.start / 60).also('r.minute < ?', span.end / 60);
  const anySource = filter.src === undefined && filter.node_type === undefined && filter.node_id === undefined;
  where
    .and('r.src = ?', anySource ? ANY : filter.src)
    .and('r.src IN (SELECT id FROM source WHERE node_type = ?)', filter.node_type)
    .and('r.src IN (SELECT id FROM source WHERE node_id = ?)', filter.node_id)
    .and('r.level >= ?', levels?.from)
    .and('r.level <= ?', levels?.to);
  const text = `SELECT (r.minute - ?) / ? AS bucket, r.level, CAST(sum(r.n) AS bigint) AS n FROM errlog_rate r${where.text}
    GROUP BY 1, r.level`;
  return sql.all<Row>(cached(text), span.start / 60, span.step / 60, ...where.values);
}

async function groupRows(db: Database, filter: ErrlogFilter, span: Span): Promise<{ rows: Row[]; partial: boolean }> {
  const rows: Row[] = [];
  // A group that was last seen before the span, or first seen behind it, has nothing in it.
  const portions = someGroups(db, {
    filter: { ...filter, start_time: span.start },
    columns: 'e.id, e.level',
    max: GROUPS_MAX,
    // The sign keeps SQLite from the index of first_seen.
    narrow: new Where().also('+e.first_seen < ?', span.end),
  });
  const [from, to] = [span.start / 60, span.end / 60];
  for (;;) {
    const { done, value } = await portions.next();
    if (done === true) return { rows, partial: value };
    const text = `SELECT (m.minute - ?) / ? AS bucket, g.level, CAST(sum(m.n) AS bigint) AS n FROM (${value.text}) g
      JOIN errlog_minute m ON m.errlog_id = g.id AND m.minute >= ? AND m.minute < ? GROUP BY 1, g.level`;
    rows.push(...(await db.read.sql.all<Row>(cached(text), from, span.step / 60, ...value.values, from, to)));
  }
}
