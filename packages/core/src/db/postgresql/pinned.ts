// Prisma's adapter for PostgreSQL takes a pool and nothing else; this gives it a pool that is always the same one
// connection, so that Prisma takes part in a transaction of ours.
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlQuery, SqlQueryable, SqlResultSet } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { DatabaseError, fromDriver } from '../database-error.ts';

export type Queryable = Pick<pg.ClientBase, 'query'>;

/**
 * The connection, given one statement after another: a write may start several at once, and pg will no longer queue
 * them.
 */
export function oneAtATime(client: Queryable): Queryable {
  let last: Promise<unknown> = Promise.resolve();
  const query = (...args: unknown[]) => {
    const result = last.then(() => Reflect.apply(client.query, client, args));
    last = result.catch(() => {});
    return result;
  };
  return { query: query as pg.ClientBase['query'] };
}

class PinnedPool extends pg.Pool {
  target: Queryable | undefined;

  override query: pg.Pool['query'] = (...args: unknown[]) => {
    if (this.target === undefined) throw new Error('A statement of Prisma came without its connection.');
    return Reflect.apply(this.target.query, this.target, args);
  };
}

/** Prisma's statements on whatever connection it is pointed at. */
export class PinnedQueryable implements SqlQueryable {
  readonly provider = 'postgres';
  readonly adapterName = 'quarterdeck-postgresql';
  readonly #pool = new PinnedPool();
  readonly #adapter: Promise<SqlQueryable>;

  constructor(target?: Queryable) {
    this.#pool.target = target;
    this.#adapter = new PrismaPg(this.#pool).connect();
  }

  set target(target: Queryable | undefined) {
    this.#pool.target = target;
  }

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return await guard((await this.#adapter).queryRaw(query));
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    return await guard((await this.#adapter).executeRaw(query));
  }
}

/** Reports faults of the database as such, and leaves the rest to Prisma. */
export async function guard<T>(running: Promise<T>): Promise<T> {
  try {
    return await running;
  } catch (thrown) {
    const error = fromDriver(thrown);
    throw error instanceof DatabaseError ? error : thrown;
  }
}
