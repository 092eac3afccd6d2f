// The time from which all lines are held. Retention removes lines before their groups.
import { type Sql, type SqlTx, statement } from '@quarterdeck/core/db';

const NAME = 'errlog_lines_from';
const GET = statement('SELECT CAST(value AS int8) AS time FROM setting WHERE name = ?');
const RAISE = statement(`INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE
  SET value = excluded.value WHERE CAST(setting.value AS int8) < CAST(excluded.value AS int8)`);

const HOUR_S = 3_600;

/**
 * Returns the time, Unix seconds, from which on every line is held: a whole hour, so that no kept minute or hour is on
 * both sides. 0 if no line was ever removed.
 */
export const linesHeldFrom = async (sql: Sql): Promise<number> =>
  (await sql.get<{ time: number }>(GET, NAME))?.time ?? 0;

/** Records that lines from before a time, Unix seconds, were removed. */
export const recordRemovedLines = (tx: SqlTx, beforeS: number) =>
  tx.sql.run(RAISE, NAME, String(Math.ceil(beforeS / HOUR_S) * HOUR_S));
