// The Prisma client of a SQLite file.
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { Database as Connection } from 'better-sqlite3';
import { PrismaClient } from '../generated/sqlite/client.ts';
import { SharedPrisma } from '../shared-prisma.ts';
import type { StatementTimes } from '../statement-times.ts';
import { SqliteQueryable } from './queryable.ts';

/** Creates the client that reads through `reader`. */
export function createSqlitePrisma(reader: Connection, times: StatementTimes): SharedPrisma {
  return new SharedPrisma(
    createReadAdapter(reader),
    times,
    (adapter) => new PrismaClient({ adapter, errorFormat: 'minimal' }),
  );
}

/** Prisma's statements on the reading connection. */
function createReadAdapter(reader: Connection): SqlDriverAdapter {
  const queryable = new SqliteQueryable(reader);
  const statements = {
    provider: queryable.provider,
    adapterName: queryable.adapterName,
    queryRaw: queryable.queryRaw.bind(queryable),
    executeRaw: queryable.executeRaw.bind(queryable),
  } as const;
  return {
    ...statements,
    // A transaction would keep showing other readers the past; each statement sees what is committed when it runs.
    startTransaction: async () => ({
      ...statements,
      options: { usePhantomQuery: true },
      commit: async () => {},
      rollback: async () => {},
    }),
    executeScript: () => Promise.reject(new Error('The reading connection runs statements, not scripts.')),
    dispose: async () => {},
  };
}
