// Times of the lines in closed partitions: a search of a recent time names the ids that it needs, so that PostgreSQL
// leaves out the other partitions (decision 066).
import { type Sql, statement } from '@quarterdeck/core/db';

/** Name of the setting with the spans of closed partitions as JSON text, by rising ids. */
export const CLOSED_SPANS = 'errlog_closed_spans';
const GET = statement(`SELECT value FROM setting WHERE name = '${CLOSED_SPANS}'`);

/** Lines of a partition that gets no more. */
export interface ClosedSpan {
  /** Id behind its lines. */
  readonly before: number;
  /** Latest time of its lines, Unix seconds. */
  readonly latest: number;
}

/** Returns the spans of the closed partitions; none on SQLite. */
export async function readClosedSpans(sql: Sql): Promise<readonly ClosedSpan[]> {
  const row = await sql.get<{ value: string }>(GET);
  return row === undefined ? [] : (JSON.parse(row.value) as ClosedSpan[]);
}

/** Returns an id with no line of a time, Unix seconds, or later below it. */
export async function firstIdFrom(sql: Sql, time: number): Promise<number | undefined> {
  const spans = await readClosedSpans(sql);
  const next = spans.findIndex(({ latest }) => latest >= time);
  return (next === -1 ? spans : spans.slice(0, next)).at(-1)?.before;
}
