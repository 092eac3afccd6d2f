// Statements that only PostgreSQL runs.
import { type Statement, type StatementOptions, statement } from '../open/index.ts';

/** Creates a statement of PostgreSQL, with `$1` for its first parameter. SQLite must not run it. */
export const onPostgres = (postgresql: string, options?: StatementOptions): Statement =>
  statement({ sqlite: '', postgresql }, options);
