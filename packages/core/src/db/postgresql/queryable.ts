// Prisma's adapter for PostgreSQL takes nothing but a pool. Here the pool is always the same connection, so that Prisma
// takes part in a transaction of ours.
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlQuery, SqlQueryable, SqlResultSet } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { DatabaseError, fromDriver } from '../database-error.ts';

export type Queryable = Pick<pg.ClientBase, 'query'>;

/** Prisma's statements on one connection. */
export class ConnectionQueryable implements SqlQueryable {
  readonly provider = 'postgres';
  readonly adapterName = 'quarterdeck-postgresql';
  readonly #adapter: Promise<SqlQueryable>;

  constructor(connection: Queryable) {
    const pool = new pg.Pool();
    pool.query = connection.query.bind(connection) as pg.Pool['query'];
    this.#adapter = new PrismaPg(pool).connect();
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
