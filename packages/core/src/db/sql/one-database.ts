// Statements that only one of the databases runs.
import { type Statement, type StatementOptions, statement } from '../open/index.ts';

/** Creates a statement of PostgreSQL, with `$1` for its first parameter. SQLite must not run it. */
export const onPostgres = (postgresql: string, options?: StatementOptions): Statement =>
  statement({ sqlite: '', postgresql }, options);

/** Creates a statement of SQLite, with `?` for each parameter. PostgreSQL must not run it. */
export const onSqlite = (sqlite: string, options?: StatementOptions): Statement =>
  statement({ sqlite, postgresql: '' }, options);
