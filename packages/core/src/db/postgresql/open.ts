// Opens a PostgreSQL database.
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { parsePostgresAddress } from '../../postgres-address.ts';
import type { Database, Tx } from '../database.ts';
import { DatabaseError, fromDriver } from '../database-error.ts';
import { knownMigrations } from '../migrations.ts';
import { Signals } from '../signals.ts';
import { Listener } from './listener.ts';
import { migratePostgres } from './migrate.ts';
import { checkDurability, checkSessions, createPool } from './pool.ts';
import { PrimaryClient } from './primary-client.ts';
import { PrimaryHosts } from './primary-hosts.ts';
import { createPostgresPrisma } from './prisma.ts';
import { PostgresReads } from './reads.ts';
import { placeOf, startFailure } from './start-failure.ts';
import { PostgresWrites } from './write.ts';

/** Vacuums tables, and renews their statistics, which hold values of rows. No time limit: a table may be large. */
async function vacuum(url: string, tables: readonly string[]): Promise<void> {
  const client = new PrimaryClient(new PrimaryHosts(url), {
    application_name: 'quarterdeck vacuum',
    session: 'SET statement_timeout = 0; SET lock_timeout = 0',
  });
  try {
    await client.connect();
    await client.query(`VACUUM (ANALYZE) ${tables.map((name) => client.escapeIdentifier(name)).join(', ')}`);
  } catch (error) {
    throw fromDriver(error);
  } finally {
    await client.end().catch(() => {});
  }
}

const closeMs = 2000;

/** Brings the database up to date, one process at a time, and opens it. */
export async function openPostgres(url: string, mustExist = false): Promise<Database> {
  await migratePostgres(url, knownMigrations('postgresql'), mustExist);
  const pool = createPool(url);
  try {
    await checkDurability(pool);
    await checkSessions(pool);
    const { rows } = await pool.query<{ schema: string }>('SELECT current_schema() AS schema');
    return await openPool(url, pool, rows[0]?.schema);
  } catch (error) {
    await pool.end();
    throw startFailure(error, placeOf(url));
  }
}

async function openPool(url: string, pool: pg.Pool, schema: string | undefined): Promise<Database> {
  const signals = new Signals();
  const emit = () => signals.emit();
  const listener = new Listener(url, emit);
  const prisma = await createPostgresPrisma(pool, schema);
  const writes = new PostgresWrites(pool, prisma, listener.notify, emit, parsePostgresAddress(url).limits.queryMs);
  await prisma.connect();
  const read: Tx = {
    prisma: prisma.read,
    sql: new PostgresReads(pool, prisma.times),
    signal() {
      throw new Error('Only a write can signal.');
    },
  };
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await Promise.allSettled(running);
    // A server that no longer answers never confirms the end of a connection.
    await Promise.race([
      Promise.all([listener.close(), pool.end(), prisma.close()]),
      delay(closeMs, undefined, { ref: false }),
    ]);
  }

  return {
    dialect: 'postgresql',
    read,
    readerSettings: { dialect: 'postgresql', url },
    statementTimes: prisma.times,
    queue: () => ({
      waiting: pool.waitingCount,
      connections: { busy: pool.totalCount - pool.idleCount, idle: pool.idleCount },
    }),
    write(work, options) {
      if (closing !== undefined) return Promise.reject(new DatabaseError('closed'));
      const write = prisma.times.write(writes.run(work, options), options);
      running.add(write);
      const done = () => running.delete(write);
      write.then(done, done);
      return write;
    },
    clearDeleted: (tables) => vacuum(url, tables),
    async ping() {
      try {
        await pool.query('SELECT 1');
      } catch (error) {
        throw fromDriver(error);
      }
    },
    onSignal(listen) {
      listener.start();
      return signals.add(listen);
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}
