// Histogram: occurrences by time and level. Uses kept numbers for levels and sources; otherwise adds up the minutes
// of the groups.
import type { ErrlogFilter, ErrlogHistogram } from '@quarterdeck/core';
import { type Database, type SqlValue, statement } from '@quarterdeck/core/db';
import { LEVELS } from '@quarterdeck/core/plain';
import { CommitCache, cached, Where } from '@quarterdeck/core/sql';
import { andCondition, type GroupFilter, isScoped, levelsOf, withoutTime } from '../tables/filter.ts';
import { eachMinute, type HourRow, hourOf } from '../tables/group-minutes.ts';
import { minuteOf } from '../tables/minutes.ts';
import { ANY_SOURCE } from '../tables/totals.ts';
import { histogramSpan } from './histogram-span.ts';
import type { GroupReader } from './line-search.ts';
import { newestGroups } from './newest-groups.ts';
import type { Query } from './ordered-scan.ts';
import { type Selection, selectGroups } from './selection.ts';

const MINUTE_S = 60;
/** The last minute: PostgreSQL stores minutes in 32 bits, and the end of a span is one more. */
const LAST_MINUTE = 2 ** 31 - 2;
/** Most groups whose minutes are added up. */
const GROUPS_MAX = 10_000;

/** A span of time in Unix seconds, in steps of whole minutes that begin at round times. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  /** The counted part of it: whole minutes, the end exclusive. Empty if a filter ends before it begins. */
  readonly from: number;
  readonly to: number;
}

/** Caches sums until the next commit: dashboards that show the same share one run. */
const found = new CommitCache<{ readonly rows: readonly Row[]; readonly partial: boolean }>(8);

/** A histogram, and the part of its span in which occurrences were counted, the end exclusive. */
export interface CountedHistogram extends Omit<ErrlogHistogram, 'meta'> {
  readonly counted: { readonly from: number; readonly to: number };
}

/** Returns a histogram of at most `buckets` buckets, over the last 24 hours unless the filter has a span of time. */
export async function errlogHistogram(
  reader: GroupReader,
  filter: ErrlogFilter,
  buckets: number,
): Promise<CountedHistogram> {
  const { db } = reader;
  const selection = await selectGroups(reader, filter);
  const { groups, lines } = selection;
  const span = spanOf(groups, buckets, reader.nowS);
  const { rows, partial } =
    lines === undefined && isScoped(groups)
      ? { rows: await keptRows(db, groups, span), partial: false }
      : await found.get(db, JSON.stringify([groups, lines, span]), () => groupRows(reader, selection, span));
  const { start, end, step, from, to } = span;
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
  return { start, end, step, counted: { from, to }, buckets: result, ...(partial ? { partial } : {}) };
}

/** Returns the span of a filter. Minutes in which the filter begins or ends are counted whole. */
function spanOf({ start_time, end_time }: GroupFilter, buckets: number, nowS: number): Span {
  const beginOf = (time: number) => Math.min(minuteOf(time), LAST_MINUTE) * MINUTE_S;
  const to = end_time === undefined ? Infinity : beginOf(end_time) + MINUTE_S - 1;
  const bounds = { from: start_time === undefined ? 0 : beginOf(start_time), to };
  const { start, end, step } = histogramSpan(bounds, buckets, beginOf(nowS) + MINUTE_S - 1, MINUTE_S);
  const counted = {
    from: start_time === undefined ? start : bounds.from,
    to: Math.min(end, to + 1, (LAST_MINUTE + 1) * MINUTE_S),
  };
  return { start, end: counted.to <= counted.from ? start : end, step, ...counted };
}

interface Row {
  readonly bucket: number;
  readonly level: number;
  readonly n: number;
}

function keptRows({ read: { sql } }: Database, filter: GroupFilter, span: Span): Promise<Row[]> {
  const levels = levelsOf(filter);
  const where = new Where().and('r.minute >= ?', span.from / 60).and('r.minute < ?', span.to / 60);
  const { src, node_type, node_id, condition } = filter;
  const isOfAll = [src, node_type, node_id, condition].every((value) => value === undefined);
  // The numbers of all sources are kept besides those of each.
  if (!isOfAll) where.and(`r.src <> ${ANY_SOURCE}`);
  andCondition(where, condition, 'r')
    .andIf('r.src = ?', isOfAll ? ANY_SOURCE : src)
    .andIf('r.src IN (SELECT id FROM source WHERE node_type = ?)', filter.node_type)
    .andIf('r.src IN (SELECT id FROM source WHERE node_id = ?)', filter.node_id)
    .andIf('r.level >= ?', levels?.from)
    .andIf('r.level <= ?', levels?.to);
  const text = `SELECT (r.minute - ?) / ? AS bucket, r.level, CAST(sum(r.n) AS bigint) AS n FROM errlog_rate r${where.text}
    GROUP BY 1, r.level`;
  return sql.all<Row>(cached(text), span.start / 60, span.step / 60, ...where.values);
}

const NEWEST = statement('SELECT coalesce(max(first_seen), 0) AS first_seen FROM errlog');

async function groupRows(
  reader: GroupReader,
  selection: Selection,
  span: Span,
): Promise<{ rows: Row[]; partial: boolean }> {
  const { db } = reader;
  const sums = new Map<number, number>();
  const { sql } = db.read;
  const newest = (await sql.get<{ first_seen: number }>(NEWEST))?.first_seen ?? 0;
  // Without a search, minutes alone decide. Skips groups last seen before the span or first seen after it.
  const groups = { ...withoutTime(selection.groups), start_time: span.from };
  const portions = newestGroups(reader, {
    selection: selection.lines === undefined ? { ...selection, groups, isPast: false } : selection,
    columns: 'e.id, e.level',
    max: GROUPS_MAX,
    // The plus sign keeps SQLite from using the index of `first_seen`.
    ...(newest < span.to ? {} : { narrow: new Where().and('+e.first_seen < ?', span.to) }),
  });
  for (;;) {
    const { done, value } = await portions.next();
    if (done === true) return { rows: [...sums].map(toRow), partial: value };
    await addMinutes(sums, db, value, span);
  }
}

/** A bucket and a level as one number. */
const placeOf = (bucket: number, level: number) => bucket * 16 + level;
const toRow = ([place, n]: [place: number, n: number]): Row => ({
  bucket: Math.floor(place / 16),
  level: place % 16,
  n,
});

/** Adds the occurrences of groups in a span, by place. */
async function addMinutes(sums: Map<number, number>, db: Database, groups: Query, span: Span): Promise<void> {
  const [start, step, from, to] = [span.start / 60, span.step / 60, span.from / 60, span.to / 60];
  const values = [...groups.values, hourOf(from), hourOf(to - 1)];
  for (const { level, ...row } of await hoursOf(db, groups.text, values)) {
    eachMinute(row, (minute, n) => {
      if (minute < from || minute >= to) return;
      const place = placeOf(Math.floor((minute - start) / step), level);
      sums.set(place, (sums.get(place) ?? 0) + n);
    });
  }
}

interface LevelHour extends HourRow {
  readonly level: number;
}

async function hoursOf(
  { dialect, read: { sql } }: Database,
  groups: string,
  values: readonly SqlValue[],
): Promise<LevelHour[]> {
  if (dialect === 'postgresql') {
    // OFFSET 0 keeps the look-ups by group: PostgreSQL would read the hours of all groups and join them.
    const hours = `CROSS JOIN LATERAL (SELECT hour, minutes FROM errlog_hour
      WHERE errlog_id = g.id AND hour >= ? AND hour <= ? OFFSET 0) h`;
    const text = `SELECT g.level, h.hour, string_agg(h.minutes, ',') AS minutes FROM (${groups}) g ${hours} GROUP BY 1, 2`;
    return sql.all(cached(text), ...values);
  }
  // SQLite sorts for GROUP BY, and a row costs more than an element of an array.
  const lists = await sql.get<{ levels: string; hours: string; minutes: string }>(
    cached(`SELECT json_group_array(g.level) AS levels, json_group_array(h.hour) AS hours,
        json_group_array(h.minutes) AS minutes
      FROM (${groups}) g JOIN errlog_hour h ON h.errlog_id = g.id AND h.hour >= ? AND h.hour <= ?`),
    ...values,
  );
  const levels: number[] = JSON.parse(lists?.levels ?? '[]');
  const hours: number[] = JSON.parse(lists?.hours ?? '[]');
  const minutes: string[] = JSON.parse(lists?.minutes ?? '[]');
  return minutes.map((text, i) => ({ level: levels[i] ?? 0, hour: hours[i] ?? 0, minutes: text }));
}
