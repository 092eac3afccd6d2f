// Connections to PostgreSQL: their limits and settings.
import pg from 'pg';
import { DatabaseError } from '../database-error.ts';

const { builtins } = pg.types;

/** Time limit of a statement: every request is answered within 5 s, even if PostgreSQL has stopped answering. */
export const answerMs = 4500;

// Numbers, and 0 or 1 for booleans, as on SQLite.
const parsers: Record<number, (text: string) => unknown> = {
  [builtins.INT8]: Number,
  [builtins.NUMERIC]: Number,
  [builtins.BOOL]: (text) => (text === 't' ? 1 : 0),
};

export function createPool(url: string, max = 10): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: 2000,
    statement_timeout: 5000,
    lock_timeout: 2000,
    idle_in_transaction_session_timeout: 10_000,
    query_timeout: answerMs,
    application_name: 'quarterdeck',
    keepAlive: true,
    // Statements that start together are sent together.
    pipeline: true,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        (format === 'binary' ? undefined : parsers[oid]) ?? pg.types.getTypeParser(oid, format),
    },
    // Only `write` begins its transactions as READ WRITE.
    onConnect: async (client: pg.ClientBase) => {
      await client.query('SET synchronous_commit = on; SET default_transaction_read_only = on');
    },
  });
  // The pool drops a broken connection, and its running statement reports the error. Without listeners the error would
  // end the process, too.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Rejects if the server would acknowledge a write before it is on disk. */
export async function checkDurability(pool: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const { rows } = await pool.query<{ fsync: string; commit: string }>(
    "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit",
  );
  const [settings] = rows;
  for (const [name, value] of Object.entries({ fsync: settings?.fsync, synchronous_commit: settings?.commit })) {
    if (value !== 'on')
      throw new DatabaseError('unsafe', `PostgreSQL runs with ${name} = ${value}, which can lose data.`);
  }
}
