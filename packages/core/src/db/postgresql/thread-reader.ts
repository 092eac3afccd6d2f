// A reader of a thread on PostgreSQL.
import type pg from 'pg';
import { fromDriver } from '../database-error.ts';
import type { ThreadReader } from '../thread-reader.ts';
import { createPool } from './pool.ts';
import { PostgresSql } from './statements.ts';

/** Opens a pool of one connection, which it replaces when it is lost. */
export function openPostgresReader(url: string): ThreadReader {
  const pool = createPool(url, 1);
  return {
    dialect: 'postgresql',
    async snapshot(work) {
      const client = await connect(pool);
      let broken = true;
      try {
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        const value = await work(new PostgresSql(client));
        await client.query('COMMIT');
        broken = false;
        return value;
      } finally {
        // Without its connection the server ends the transaction.
        client.release(broken);
      }
    },
    close: () => pool.end(),
  };
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw fromDriver(error);
  }
}
