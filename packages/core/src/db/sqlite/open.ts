// A SQLite file behind the two doors.
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Database as Connection } from 'better-sqlite3';
import type { Database, ThreadOptions, Tx } from '../database.ts';
import { DatabaseError, errorCodes, fromDriver, toDatabaseError } from '../database-error.ts';
import { PrismaClient } from '../generated/sqlite/client.ts';
import { knownMigrations } from '../migrations.ts';
import { Signals } from '../signals.ts';
import { openReader } from './connection.ts';
import { inspectFile } from './inspect.ts';
import { migrateSqlite } from './migrate.ts';
import { createPrivate, lockDirectory, type ProcessLock } from './process-lock.ts';
import { SqliteQueryable } from './queryable.ts';
import { Snapshot } from './snapshot.ts';
import { SpaceReserve } from './space-reserve.ts';
import { ReadSql, StatementCache } from './statements.ts';
import { defaultLimits } from './write-job.ts';
import { WriteQueue } from './write-queue.ts';
import { WriterConnection } from './writer-connection.ts';
import { createWritingThread, type ThreadTurns } from './writing-thread.ts';

/** Locks the directory for this process, brings the file up to date and opens it. */
export async function openSqlite(dataDir: string, mustExist = false): Promise<Database> {
  const directory = resolve(dataDir);
  const lock = await takeDirectory(directory);
  try {
    const file = join(directory, 'quarterdeck.db');
    const migrations = knownMigrations('sqlite');
    const { fresh, pending } = inspectFile(file, migrations);
    if (fresh && mustExist) throw new DatabaseError('missing', `${file} is missing or empty.`);
    createPrivate(file);
    await migrateSqlite(file, migrations, pending, fresh);
    return await openDoors(file, lock);
  } catch (error) {
    lock.release();
    throw toDatabaseError(error) ?? error;
  }
}

async function takeDirectory(directory: string): Promise<ProcessLock> {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return await lockDirectory(directory);
  } catch (error) {
    if (error instanceof DatabaseError && error.kind === 'locked') throw error;
    const [reason] = errorCodes(error);
    throw new DatabaseError('io', `The data directory ${directory} cannot be used (${reason}).`, { cause: error });
  }
}

async function openDoors(file: string, lock: ProcessLock): Promise<Database> {
  const signals = new Signals();
  const reserve = new SpaceReserve(join(dirname(file), 'quarterdeck.reserve'));
  let snapshot: Snapshot | undefined;
  const writes = new WriteQueue(
    () => new WriterConnection(file, () => snapshot?.end()),
    reserve,
    () => signals.emit(),
  );
  let reader: Connection | undefined;
  try {
    reader = openReader(file);
    snapshot = new Snapshot(reader);
    const read = createReadDoor(reader, snapshot);
    await Promise.all([read.prisma.$connect(), writes.warmUp()]);
    const turns: ThreadTurns = {
      file,
      turnMs: defaultLimits.turnMs,
      // What is read from now on sees what the thread has committed.
      run: (write) =>
        writes.pushOutside((patienceMs) => write(patienceMs).finally(() => snapshot?.end()), { bulk: true }),
      onFull: () => reserve.release(),
    };
    return assemble(reader, read, writes, turns, signals, lock);
  } catch (error) {
    reader?.close();
    await writes.close();
    throw error;
  }
}

function assemble(
  reader: Connection,
  read: Tx,
  writes: WriteQueue,
  turns: ThreadTurns,
  signals: Signals,
  lock: ProcessLock,
): Database {
  const threads = new Set<{ close(): Promise<void> }>();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    try {
      await writes.finish();
      for (const thread of threads) await thread.close();
      // The last connection to close tidies up the write-ahead log, and only the writer can.
      reader.close();
      await writes.close();
    } finally {
      lock.release();
    }
  }

  return {
    dialect: 'sqlite',
    read,
    write: (work, options) => writes.push(work, options),
    openThread<Message, Answer>(options: ThreadOptions) {
      const thread = createWritingThread<Message, Answer>(turns, options);
      threads.add(thread);
      return thread;
    },
    async ping() {
      try {
        reader.prepare('SELECT count(*) FROM sqlite_schema').get();
      } catch (error) {
        throw fromDriver(error);
      }
    },
    onSignal: (listener) => signals.add(listener),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function createReadDoor(reader: Connection, snapshot: Snapshot): Tx & { readonly prisma: PrismaClient } {
  const queryable = new SqliteQueryable(reader);
  const { provider, adapterName } = queryable;
  const statements = {
    provider,
    adapterName,
    queryRaw: queryable.queryRaw.bind(queryable),
    executeRaw: queryable.executeRaw.bind(queryable),
  } as const;
  // A transaction would keep showing other readers the past; each statement sees what is committed when it runs.
  const startTransaction = async () => ({
    ...statements,
    options: { usePhantomQuery: true },
    commit: async () => {},
    rollback: async () => {},
  });
  const executeScript = () => Promise.reject(new Error('The reading door runs statements, not scripts.'));
  const adapter = { ...statements, startTransaction, executeScript, dispose: async () => {} };
  return {
    prisma: new PrismaClient({
      adapter: { provider, adapterName, connect: async () => adapter },
      errorFormat: 'minimal',
    }),
    sql: new ReadSql(new StatementCache(reader), snapshot),
    signal() {
      throw new Error('Only a write can signal.');
    },
  };
}
