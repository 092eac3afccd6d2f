// The tables that one database derives from others. The indexes of texts of SQLite are filled by the job of the server,
// which searches without them until then.
import type { Database as Connection } from 'better-sqlite3';
import { FILTER_ROW_KEYS, INSERT_FILTER_ROW, toFilterRows } from '../filter-rows.ts';
import { columnList, type MovedTable, quoted } from '../moved-tables.ts';
import type { FieldValue } from './rows.ts';

/** Setting with the last group that the search index of SQLite lacks; PostgreSQL has none. */
const LEARNING = 'errlog_search_2';

/** Statements that fill the derived tables of SQLite. */
const ON_SQLITE = `
  INSERT INTO errlog_fingerprint_old (fingerprint, level, app_id, src, id)
    SELECT fingerprint, level, app_id, src, id FROM errlog ORDER BY fingerprint, level, app_id, src;
  INSERT INTO setting (name, value) SELECT '${LEARNING}', coalesce(max(id), 0) FROM errlog WHERE true
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;`;

/** Statements that fill the derived tables of PostgreSQL. */
export const DERIVED_ON_POSTGRESQL = `
  INSERT INTO errlog_search (id, text) SELECT id, errlog_search_form(log) FROM errlog WHERE NOT text_stale ORDER BY id;
  DELETE FROM setting WHERE name = '${LEARNING}';`;

/** Name of the function of {@link addJoin}. */
const JOIN = 'join_bytes';

/** Table -> column -> its whole value on SQLite: filters of segments may have rows of their own. */
export const WHOLE_ON_SQLITE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  errlog_segment: {
    filter: `coalesce((SELECT ${JOIN}(pieces) FROM (SELECT pieces FROM errlog_segment_filter
      WHERE "row" >= errlog_segment.id * ${FILTER_ROW_KEYS} AND "row" < (errlog_segment.id + 1) * ${FILTER_ROW_KEYS}
      ORDER BY "row")), filter)`,
  },
};

/** Adds a function to a connection that joins the bytes of rows; NULL without any. */
export const addJoin = (connection: Connection): void =>
  void connection.aggregate(JOIN, {
    start: (): Uint8Array[] => [],
    step: (joined: Uint8Array[], bytes: Uint8Array) => {
      joined.push(bytes);
      return joined;
    },
    result: (joined: Uint8Array[]) => (joined.length === 0 ? null : Buffer.concat(joined)),
  });

/** Returns what inserts rows into a table. Numbers are bound as texts: the type of a column converts them exactly. */
export function insertInto(connection: Connection, table: MovedTable): (row: FieldValue[]) => void {
  const { name, columns } = table;
  const insert = connection.prepare(
    `INSERT INTO ${quoted(name)} (${columnList(table)}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  if (name !== 'errlog_segment') return (row) => void insert.run(row);
  const filter = columns.findIndex((column) => column.name === 'filter');
  const insertRow = connection.prepare(INSERT_FILTER_ROW);
  return (row) => {
    const [id] = row;
    const apart = toFilterRows(row[filter] as Buffer);
    for (const [i, pieces] of (apart?.rows ?? []).entries()) insertRow.run(id, i, id, pieces);
    insert.run(apart === undefined ? row : row.with(filter, apart.count));
  };
}

/** Fills the derived tables of SQLite. */
export const fillDerivedOnSqlite = (connection: Connection): void => void connection.exec(ON_SQLITE);
