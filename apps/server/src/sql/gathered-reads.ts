// Gathers look-ups by key into one statement on PostgreSQL: five hundred statements would fill the connection pool.
import { type Database, type Sql, type SqlValue, type Statement, statement } from '@quarterdeck/core/db';

/** Statements for many keys, by the statement for one. Rows have the position of their key as `gathered_n`, from 1. */
const together = new WeakMap<Statement, Statement>();

function togetherOf(one: Statement): Statement {
  let many = together.get(one);
  if (many === undefined) {
    many = statement({
      sqlite: one.sqlite,
      postgresql: `SELECT given.n AS gathered_n, found.* FROM (
          SELECT n, decode(hex, 'hex') AS key FROM json_array_elements_text(CAST($1 AS json)) WITH ORDINALITY AS list(hex, n)
        ) AS given CROSS JOIN LATERAL (${one.postgresql.replaceAll('$1', 'given.key')}) AS found`,
    });
    together.set(one, many);
  }
  return many;
}

interface Waiting {
  readonly key: Uint8Array;
  readonly resolve: (row: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates a reader like `db.read.sql`. On PostgreSQL, calls of one statement with one key of bytes in the same turn of
 * the event loop become one statement. SQLite has no round trip, so there each call stays its own.
 */
export function gatherReads({ read: { sql }, dialect }: Pick<Database, 'read' | 'dialect'>): Pick<Sql, 'get'> {
  const waiting = new Map<Statement, Waiting[]>();

  async function run(one: Statement): Promise<void> {
    const calls = waiting.get(one) ?? [];
    waiting.delete(one);
    try {
      const keys = JSON.stringify(calls.map(({ key }) => Buffer.from(key).toString('hex')));
      const rows = await sql.all<{ gathered_n: number }>(togetherOf(one), keys);
      const byPosition = new Map(rows.map((row) => [row.gathered_n, row]));
      for (const [at, { resolve }] of calls.entries()) resolve(byPosition.get(at + 1));
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  return {
    get<R>(one: Statement, ...params: SqlValue[]): Promise<R | undefined> {
      const [key] = params;
      if (dialect === 'sqlite' || params.length !== 1 || !(key instanceof Uint8Array))
        return sql.get<R>(one, ...params);
      return new Promise((resolve, reject) => {
        const call = { key, resolve: resolve as (row: unknown) => void, reject };
        const calls = waiting.get(one);
        if (calls !== undefined) {
          calls.push(call);
          return;
        }
        waiting.set(one, [call]);
        queueMicrotask(() => void run(one));
      });
    },
  };
}
