// The Prisma client of a PostgreSQL database.
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type pg from 'pg';
import { Prisma, PrismaClient } from '../generated/postgresql/client.ts';
import { SharedPrisma } from '../shared-prisma.ts';
import { StatementTimes } from '../statement-times.ts';
import { guard } from './queryable.ts';

/** Creates the client that reads through the pool. `schema` has the tables. */
export async function createPostgresPrisma(pool: pg.Pool, schema = 'public'): Promise<SharedPrisma> {
  return new SharedPrisma(
    guardAdapter(await new PrismaPg(pool, { schema }).connect()),
    new StatementTimes(Object.values(Prisma.ModelName)),
    (adapter) => new PrismaClient({ adapter, errorFormat: 'minimal' }),
  );
}

/** Reports faults of the database as such. */
function guardAdapter(adapter: SqlDriverAdapter): SqlDriverAdapter {
  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    queryRaw: (query) => guard(adapter.queryRaw(query)),
    executeRaw: (query) => guard(adapter.executeRaw(query)),
    executeScript: (script) => guard(adapter.executeScript(script)),
    startTransaction: (isolation) => guard(adapter.startTransaction(isolation)),
    getConnectionInfo: () => adapter.getConnectionInfo?.() ?? { supportsRelationJoins: false },
    dispose: () => adapter.dispose(),
  };
}
