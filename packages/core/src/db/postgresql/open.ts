// A PostgreSQL database behind the two doors.
import { setTimeout as delay } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapter, SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type pg from 'pg';
import type { Database, Prisma, Tx } from '../database.ts';
import { DatabaseError, fromDriver } from '../database-error.ts';
import { PrismaClient } from '../generated/postgresql/client.ts';
import { knownMigrations } from '../migrations.ts';
import { Signals } from '../signals.ts';
import { Listener } from './listener.ts';
import { migratePostgres } from './migrate.ts';
import { guard } from './pinned.ts';
import { checkDurability, createPool } from './pool.ts';
import { PostgresSql } from './statements.ts';
import { PostgresWrites } from './write.ts';

const goodbyeMs = 2000;

/** Brings the database up to date, one process at a time, and opens it. */
export async function openPostgres(url: string, mustExist = false): Promise<Database> {
  await migratePostgres(url, knownMigrations('postgresql'), mustExist);
  const pool = createPool(url);
  try {
    await checkDurability(pool);
    return await openDoors(url, pool);
  } catch (error) {
    await pool.end();
    throw fromDriver(error);
  }
}

async function openDoors(url: string, pool: pg.Pool): Promise<Database> {
  const signals = new Signals();
  const emit = () => signals.emit();
  const listener = new Listener(url, emit);
  const writes = new PostgresWrites(pool, listener.notify, emit);
  const prisma = new PrismaClient({ adapter: guarded(pool), errorFormat: 'minimal' });
  await Promise.all([prisma.$connect(), writes.warmUp()]);
  const read: Tx = {
    // Both clients come from the same models; the SQLite one's type is the smaller of the two.
    prisma: prisma as unknown as Prisma,
    sql: new PostgresSql(pool),
    signal() {
      throw new Error('Only a write can signal.');
    },
  };
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await Promise.allSettled(running);
    // A server that no longer answers does not say goodbye either.
    await Promise.race([Promise.all([listener.close(), pool.end()]), delay(goodbyeMs, undefined, { ref: false })]);
  }

  return {
    dialect: 'postgresql',
    read,
    write(work) {
      if (closing !== undefined) return Promise.reject(new DatabaseError('closed'));
      const write = writes.run(work);
      running.add(write);
      const done = () => running.delete(write);
      write.then(done, done);
      return write;
    },
    async ping() {
      try {
        await pool.query('SELECT 1');
      } catch (error) {
        throw fromDriver(error);
      }
    },
    onSignal(hear) {
      listener.start();
      return signals.add(hear);
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Prisma's adapter, reporting faults of the database as such. */
function guarded(pool: pg.Pool): SqlDriverAdapterFactory {
  const factory = new PrismaPg(pool);
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect(): Promise<SqlDriverAdapter> {
      const adapter = await factory.connect();
      return {
        provider: adapter.provider,
        adapterName: adapter.adapterName,
        queryRaw: (query) => guard(adapter.queryRaw(query)),
        executeRaw: (query) => guard(adapter.executeRaw(query)),
        executeScript: (script) => guard(adapter.executeScript(script)),
        startTransaction: (isolation) => guard(adapter.startTransaction(isolation)),
        getConnectionInfo: () => adapter.getConnectionInfo(),
        dispose: () => adapter.dispose(),
      };
    },
  };
}
