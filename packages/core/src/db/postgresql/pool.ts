// Connections to PostgreSQL: their limits and settings.
import pg from 'pg';
import { DatabaseError } from '../database-error.ts';
import { PrimaryClient, type PrimaryConfig } from './primary-client.ts';
import { PrimaryHosts } from './primary-hosts.ts';

const { builtins } = pg.types;

// Numbers, and 0 or 1 for booleans, as on SQLite.
const parsers: Record<number, (text: string) => unknown> = {
  [builtins.INT8]: Number,
  [builtins.NUMERIC]: Number,
  [builtins.BOOL]: (text) => (text === 't' ? 1 : 0),
};

// Only `write` begins its transactions as READ WRITE. To compile an expression takes longer than any statement here.
const session = (
  queryMs: number,
) => `SET statement_timeout = ${queryMs + 500}; SET lock_timeout = ${Math.round((queryMs * 4) / 9)};
  SET idle_in_transaction_session_timeout = ${2 * queryMs + 1_000};
  SET default_transaction_read_only = on;
  SET jit = off;
  SELECT set_config('synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)`;

/** Creates a pool of connections to the primary. */
export function createPool(url: string, max = 10): pg.Pool {
  const hosts = new PrimaryHosts(url);
  const { connectMs, queryMs } = hosts.limits;
  const config: PrimaryConfig = {
    query_timeout: queryMs,
    application_name: 'quarterdeck',
    // Statements that start together are sent together.
    pipeline: true,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        (format === 'binary' ? undefined : parsers[oid]) ?? pg.types.getTypeParser(oid, format),
    },
    session: session(queryMs),
  };
  const Client = class extends PrimaryClient {
    constructor() {
      super(hosts, config);
    }
  };
  const pool = new pg.Pool({ Client, max, connectionTimeoutMillis: connectMs });
  // The pool drops a broken connection, and its running statement reports the error. Without a listener the error would
  // end the process, too.
  pool.on('error', () => {});
  return pool;
}

/** Values with which a commit is acknowledged once it is on disk, and on that of a synchronous standby. */
const DURABLE: Readonly<Record<string, readonly string[]>> = {
  fsync: ['on'],
  synchronous_commit: ['on', 'remote_apply'],
};

/** Rejects if the server would acknowledge a write before it is on disk. */
export async function checkDurability(pool: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const { rows } = await pool.query<Record<string, string>>(
    "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit",
  );
  for (const [name, value = ''] of Object.entries(rows[0] ?? {})) {
    if (DURABLE[name]?.includes(value)) continue;
    throw new DatabaseError('unsafe', `PostgreSQL runs with ${name} = ${value}, which can lose data.`);
  }
}

/** Rejects behind a pooler that does not give each connection a session of its own. */
export async function checkSessions(pool: pg.Pool): Promise<void> {
  const first = await pool.connect();
  try {
    const process = await processOf(first);
    // A pooler invents the number that it sends at the start.
    if ((first as { processID?: number | null }).processID === process) return;
    const second = await pool.connect();
    const other = await processOf(second).finally(() => second.release());
    if (other !== process) return;
  } finally {
    first.release();
  }
  throw new DatabaseError('unsafe', 'The pooler in front of PostgreSQL shares sessions; set its pool_mode to session.');
}

async function processOf(client: pg.PoolClient): Promise<number | undefined> {
  return (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
}
