// The tables that one database derives from others. The indexes of texts of SQLite are filled by the job of the server,
// which searches without them until then.
import type { Database as Connection } from 'better-sqlite3';

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

/** Fills the derived tables of SQLite. */
export const fillDerivedOnSqlite = (connection: Connection): void => void connection.exec(ON_SQLITE);
