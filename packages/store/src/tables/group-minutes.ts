// Occurrences of each group by the minute. A row has an hour of a group: a row for each minute took more than the
// packed lines (decision 111). Its text has a number for each count, `n * 60 + minute of the hour`, between commas. A
// minute may come several times, because a batch appends its counts.
import { type Dialect, type Sql, type SqlTx, statement } from '@quarterdeck/core/db';
import { INT_MAX } from '@quarterdeck/core/plain';
import { inJson, numberArray, textArray } from '@quarterdeck/core/sql';
import { ROWS_AT_ONCE, type RowStatements, writeRows } from './rows-at-once.ts';

const HOUR = 60;

/** Occurrences of a group in a minute, counted from 1970. */
export interface GroupMinute {
  readonly id: number;
  readonly minute: number;
  readonly n: number;
}

/** A row of the table. */
export interface HourRow {
  readonly hour: number;
  readonly minutes: string;
}

/** Hour of a minute, both counted from 1970. */
export const hourOf = (minute: number) => Math.floor(minute / HOUR);

const encode = (minute: number, n: number) => n * HOUR + (minute % HOUR);

/** Calls `add` for each count of a row, in no order. A minute may come several times. */
export function eachMinute({ hour, minutes }: HourRow, add: (minute: number, n: number) => void): void {
  for (const text of minutes.split(',')) {
    const value = Number(text);
    add(hour * HOUR + (value % HOUR), Math.floor(value / HOUR));
  }
}

/** Characters beyond which the counts of a minute become one. All minutes of an hour take 300 to 400. */
const LENGTH_MAX = 600;

/** SQL: the values of a text, as `v.value`. */
const valuesOf = (dialect: Dialect, text: string) =>
  dialect === 'sqlite'
    ? `json_each('[' || ${text} || ']') AS v`
    : `unnest(string_to_array(${text}, ',')::int8[]) AS v(value)`;

/** SQL: the counts of rows `h`, as `v.value`. */
const countsOf = (dialect: Dialect) =>
  `errlog_hour AS h CROSS JOIN ${dialect === 'sqlite' ? '' : 'LATERAL '}${valuesOf(dialect, 'h.minutes')}`;
/** SQL: the minute of a count. */
const MINUTE = `h.hour * ${HOUR} + v.value % ${HOUR}`;
const WITHIN = `h.hour >= ? AND h.hour <= ? AND ${MINUTE} >= ? AND ${MINUTE} < ?`;

/** Values of statements with a span: from one minute to before another one. PostgreSQL keeps hours in 32 bits. */
export const spanValues = (from: number, to: number): number[] => [
  hourOf(from),
  Math.min(hourOf(to - 1), INT_MAX),
  from,
  to,
];

const JOINED = "errlog_hour.minutes || ',' || excluded.minutes";
const concat = { sqlite: 'group_concat(summed.value)', postgresql: "string_agg(summed.value::text, ',')" };

/** SQL that adds to the row of a conflict. */
const onConflict = (dialect: Dialect) => `ON CONFLICT (errlog_id, hour) DO UPDATE
  SET minutes = CASE WHEN length(errlog_hour.minutes) < ${LENGTH_MAX} THEN ${JOINED}
    ELSE (SELECT ${concat[dialect]} FROM
      (SELECT CAST(${HOUR} * sum(v.value / ${HOUR}) + v.value % ${HOUR} AS bigint) AS value
       FROM ${valuesOf(dialect, JOINED)} GROUP BY v.value % ${HOUR}) AS summed) END`;

/** Counts of one hour of a group, to be added. */
interface AddedHour {
  readonly id: number;
  readonly hour: number;
  minutes: string;
}

// OR FAIL: see `insertInto` in write/store-rows.ts.
const addRows = (n: number) =>
  statement(
    {
      sqlite: `INSERT OR FAIL INTO errlog_hour (errlog_id, hour, minutes)
        VALUES ${Array(n).fill('(?, ?, ?)').join(', ')} ${onConflict('sqlite')}`,
      postgresql: '',
    },
    { numbersMeetColumns: true },
  );
const ROWS: RowStatements<AddedHour> = {
  some: addRows(ROWS_AT_ONCE),
  one: addRows(1),
  put: (values, { id, hour, minutes }) => values.push(id, hour, minutes),
};
const SET = statement({
  sqlite: '',
  postgresql: `INSERT INTO errlog_hour (errlog_id, hour, minutes)
    SELECT * FROM unnest($1::int8[], $2::int[], $3::text[]) ${onConflict('postgresql')}`,
});

/** Counts that are added together. Those of a group follow each other, and a minute may come several times. */
export class AddedMinutes {
  readonly #rows: AddedHour[] = [];
  /** Rows of the last group but the first, by hour. */
  readonly #further = new Map<number, AddedHour>();

  add(id: number, minute: number, n: number): void {
    const hour = hourOf(minute);
    const value = String(encode(minute, n));
    const last = this.#rows.at(-1);
    const isOfLast = last?.id === id;
    if (!isOfLast && this.#further.size > 0) this.#further.clear();
    const first = isOfLast ? this.#rows.at(-1 - this.#further.size) : undefined;
    const row = first?.hour === hour ? first : this.#further.get(hour);
    if (row !== undefined) {
      row.minutes += `,${value}`;
      return;
    }
    const added = { id, hour, minutes: value };
    this.#rows.push(added);
    if (isOfLast) this.#further.set(hour, added);
  }

  async apply({ sql }: SqlTx): Promise<void> {
    const rows = this.#rows;
    if (rows.length === 0) return;
    if (sql.sync !== undefined) {
      writeRows(sql.sync, ROWS, rows);
      return;
    }
    // Neighbours in the index share its pages, and two servers that write the same rows do not deadlock.
    rows.sort((a, b) => a.id - b.id || a.hour - b.hour);
    await sql.run(
      SET,
      numberArray(rows.map(({ id }) => id)),
      numberArray(rows.map(({ hour }) => hour)),
      textArray(rows.map(({ minutes }) => minutes)),
    );
  }
}

const COPY = statement(
  (dialect) => `INSERT INTO errlog_hour (errlog_id, hour, minutes)
    SELECT CAST(? AS bigint), hour, minutes FROM errlog_hour WHERE errlog_id = ? ${onConflict(dialect)}`,
);

/** Adds the counts of a group to those of another one, which has them as well then. */
export const copyMinutes = ({ sql }: SqlTx, from: number, to: number) => sql.run(COPY, to, from);

const REPLACE = statement('UPDATE errlog_hour SET minutes = ? WHERE errlog_id = ? AND hour = ?');
const REMOVE_HOUR = statement('DELETE FROM errlog_hour WHERE errlog_id = ? AND hour = ?');

/** Replaces the counts of a group in the hours of some minutes, by those that `left` has. */
export async function replaceMinutes(
  { sql }: SqlTx,
  id: number,
  left: ReadonlyMap<number, number>,
  changed: Iterable<number>,
): Promise<void> {
  const hours = Map.groupBy(left, ([minute]) => hourOf(minute));
  for (const hour of new Set(Array.from(changed, hourOf))) {
    const kept = (hours.get(hour) ?? []).filter(([, n]) => n > 0);
    const minutes = kept.map(([minute, n]) => encode(minute, n)).join(',');
    if (minutes === '') await sql.run(REMOVE_HOUR, id, hour);
    else await sql.run(REPLACE, minutes, id, hour);
  }
}

const HOURS = statement('SELECT hour, minutes FROM errlog_hour WHERE errlog_id = ?');

/** All counts of a group by minute. Those before the minutes that are kept are in the first minute of their hour. */
export async function minutesOfGroup(sql: Sql, id: number): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  for (const row of await sql.all<HourRow>(HOURS, id)) {
    eachMinute(row, (minute, n) => found.set(minute, (found.get(minute) ?? 0) + n));
  }
  return found;
}

const OF_GROUPS = statement(
  (dialect) => `SELECT errlog_id AS id, hour, minutes FROM errlog_hour
    WHERE ${inJson(dialect, 'errlog_id')} AND hour >= ? AND hour <= ? ORDER BY errlog_id, hour`,
);

/** Counts of some groups from one minute to another, both included, by group and minute. */
export async function minutesOfGroups(
  sql: Sql,
  ids: readonly number[],
  from: number,
  to: number,
): Promise<GroupMinute[]> {
  const hours = [hourOf(from), Math.min(hourOf(to), INT_MAX)] as const;
  const rows = await sql.all<HourRow & { id: number }>(OF_GROUPS, JSON.stringify(ids), ...hours);
  return rows.flatMap((row) => {
    const found = new Map<number, number>();
    eachMinute(row, (minute, n) => {
      if (minute >= from && minute <= to) found.set(minute, (found.get(minute) ?? 0) + n);
    });
    return Array.from(found, ([minute, n]) => ({ id: row.id, minute, n })).sort((a, b) => a.minute - b.minute);
  });
}

const SUMS = statement(
  (dialect) => `SELECT h.errlog_id AS id, CAST(sum(v.value / ${HOUR}) AS bigint) AS n,
      CAST(max(${MINUTE}) AS bigint) AS last
    FROM ${countsOf(dialect)} WHERE ${inJson(dialect, 'h.errlog_id')} AND ${WITHIN} GROUP BY h.errlog_id`,
);

/** Occurrences of some groups from one minute to another, both included, and the last minute that has some. */
export const sumsOfGroups = (sql: Sql, ids: readonly number[], from: number, to: number) =>
  sql.all<{ id: number; n: number; last: number }>(SUMS, JSON.stringify(ids), ...spanValues(from, to + 1));

/** SQL: occurrences of a group in a span of minutes; its parameters are {@link spanValues}. */
export const sumOfMinutes = (
  dialect: Dialect,
  group: string,
) => `(SELECT CAST(coalesce(sum(v.value / ${HOUR}), 0) AS bigint)
  FROM ${countsOf(dialect)} WHERE h.errlog_id = ${group} AND ${WITHIN})`;

const MERGE = statement(
  (dialect) => `UPDATE errlog_hour
    SET minutes = CAST(${HOUR} * (SELECT sum(v.value / ${HOUR}) FROM ${valuesOf(dialect, 'minutes')}) AS text)
    WHERE errlog_id >= ? AND errlog_id <= ? AND hour < ?
      AND CASE WHEN minutes LIKE '%,%' THEN TRUE ELSE CAST(minutes AS bigint) % ${HOUR} <> 0 END`,
);

/** Sums the counts of each hour before a minute, for the groups from one id to another one. */
export const mergeHours = ({ sql }: SqlTx, low: number, high: number, beforeMinute: number) =>
  sql.run(MERGE, low, high, hourOf(beforeMinute));
