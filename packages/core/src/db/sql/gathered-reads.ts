// Gathers look-ups by key into one statement on PostgreSQL: five hundred statements would fill the connection pool.
import { type Database, type Sql, type SqlValue, type Statement, statement } from '../open/index.ts';

/** Statements for many calls, by the statement of one. Rows have the position of their call as `gathered_n`, from 1. */
const together = new WeakMap<Statement, Statement>();

function togetherOf(one: Statement, keyCount: number): Statement {
  let many = together.get(one);
  if (many === undefined) {
    const places = Array.from({ length: keyCount }, (_, i) => i + 1);
    many = statement({
      sqlite: one.sqlite,
      postgresql: `SELECT given.n AS gathered_n, found.* FROM (
          SELECT n, ${places.map((i) => `decode(keys->>${i - 1}, 'hex') AS key${i}`).join(', ')}
          FROM json_array_elements(CAST($1 AS json)) WITH ORDINALITY AS list(keys, n)
        ) AS given CROSS JOIN LATERAL (${one.postgresql.replaceAll(/\$(\d+)/g, 'given.key$1')}) AS found`,
    });
    together.set(one, many);
  }
  return many;
}

interface Waiting {
  readonly keys: readonly Uint8Array[];
  readonly resolve: (row: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates a reader like `db.read.sql`. On PostgreSQL, calls of one statement whose values are bytes in the same turn of
 * the event loop become one statement. SQLite has no round trip, so there each call stays its own.
 */
export function gatherReads({ read: { sql }, dialect }: Pick<Database, 'read' | 'dialect'>): Pick<Sql, 'get'> {
  const waiting = new Map<Statement, Waiting[]>();

  async function run(one: Statement): Promise<void> {
    const calls = waiting.get(one) ?? [];
    waiting.delete(one);
    try {
      const given = calls.map(({ keys }) => keys.map((key) => Buffer.from(key).toString('hex')));
      const many = togetherOf(one, given[0]?.length ?? 1);
      const rows = await sql.all<{ gathered_n: number }>(many, JSON.stringify(given));
      const byPosition = new Map(rows.map((row) => [row.gathered_n, row]));
      for (const [at, { resolve }] of calls.entries()) resolve(byPosition.get(at + 1));
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  return {
    get<R>(one: Statement, ...params: SqlValue[]): Promise<R | undefined> {
      const keys = params.filter((param) => param instanceof Uint8Array);
      if (dialect === 'sqlite' || keys.length === 0 || keys.length < params.length) return sql.get<R>(one, ...params);
      return new Promise((resolve, reject) => {
        const call = { keys, resolve: resolve as (row: unknown) => void, reject };
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
