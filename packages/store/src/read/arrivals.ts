// Times at which lines of sources arrived, from the ledger.
import { type Sql, statement } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';
import { HOST } from '../tables/sources.ts';

/** A source, and the minute in which its latest line arrived, counted from 1970; null where none is known. */
export interface LastArrival {
  readonly src: number;
  readonly minute: number | null;
}

const LAST = statement(
  `SELECT s.id AS src, (SELECT max(l.minute) FROM ledger l WHERE l.src = s.id) AS minute
   FROM source s WHERE s.id > ? ORDER BY s.id LIMIT ?`,
);

/** Sources behind one, by rising id. Source 0, this server, is not among them. */
export const lastArrivals = (sql: Sql, behind: number, limit: number): Promise<LastArrival[]> =>
  sql.all<LastArrival>(LAST, Math.max(0, behind), limit);

const MINUTES = statement(
  'SELECT DISTINCT minute FROM ledger WHERE src = ? AND minute >= ? AND minute <= ? ORDER BY minute',
);

/** Minutes in which lines of a source arrived, both ends included, in order. */
export const arrivalMinutes = async (sql: Sql, src: number, from: number, to: number): Promise<number[]> =>
  (await sql.all<{ minute: number }>(MINUTES, src, from, to)).map(({ minute }) => minute);

/** Time in which no server listened, Unix seconds. */
export interface DownTime {
  readonly from: number;
  readonly to: number;
}

const DOWN = statement(
  `SELECT from_time AS "from", to_time AS "to" FROM ledger_gap
   WHERE src = 0 AND stage = 'down' AND minute >= ? ORDER BY minute`,
);

/** Times in which no server listened that ended in a minute or later. */
export const downTimes = (sql: Sql, fromMinute: number): Promise<DownTime[]> => sql.all<DownTime>(DOWN, fromMinute);

const NAMES = statement((dialect) => `SELECT s.id, ${HOST} AS name FROM source s WHERE ${inJson(dialect, 's.id')}`);

/** Source -> its displayed name. */
export async function sourceNames(sql: Sql, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await sql.all<{ id: number; name: string }>(NAMES, JSON.stringify(ids));
  return new Map(rows.map(({ id, name }) => [id, name]));
}
