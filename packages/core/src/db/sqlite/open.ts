// Opens a SQLite file.
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Database as Connection } from 'better-sqlite3';
import type { Database, DiskSpace, ThreadOptions, Tx } from '../database.ts';
import { DatabaseError, errorCodes, fromDriver, toDatabaseError } from '../database-error.ts';
import { Prisma } from '../generated/sqlite/client.ts';
import { knownMigrations } from '../migrations.ts';
import type { SharedPrisma } from '../shared-prisma.ts';
import { Signals } from '../signals.ts';
import { StatementTimes } from '../statement-times.ts';
import { openReader } from './connection.ts';
import { type DiskLimits, diskLimits } from './disk-limits.ts';
import { createDiskSpace } from './disk-space.ts';
import { inspectFile } from './inspect.ts';
import { migrateSqlite } from './migrate.ts';
import { createSqlitePrisma } from './prisma.ts';
import { createPrivate, lockDirectory, type ProcessLock } from './process-lock.ts';
import { Snapshot } from './snapshot.ts';
import { SpaceReserve } from './space-reserve.ts';
import { ReadSql, StatementCache } from './statements.ts';
import { runUpkeep } from './upkeep.ts';
import { WalSync } from './wal-sync.ts';
import { defaultLimits } from './write-job.ts';
import { type WriteAheadLog, WriteQueue } from './write-queue.ts';
import { WriterConnection } from './writer-connection.ts';
import { createWritingThread, type ThreadQueue } from './writing-thread.ts';

export interface SqliteOptions {
  readonly dataDir: string;
  /** Bound on the size of all files. */
  readonly maxBytes?: number | undefined;
  readonly mustExist?: boolean | undefined;
}

/** Locks the directory for this process, brings the file up to date and opens it. */
export async function openSqlite({ dataDir, maxBytes, mustExist = false }: SqliteOptions): Promise<Database> {
  const directory = resolve(dataDir);
  const lock = await takeDirectory(directory);
  try {
    const file = join(directory, 'quarterdeck.db');
    const migrations = knownMigrations('sqlite');
    const { fresh, pending } = inspectFile(file, migrations);
    if (fresh && mustExist) throw new DatabaseError('missing', `${file} is missing or empty.`);
    createPrivate(file);
    await migrateSqlite(file, migrations, pending, fresh);
    return await openFile(file, diskLimits(maxBytes), lock);
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

/** Share of the longest write-ahead log beyond which it is copied to the file. */
const COPY_SHARE = 6 / 7;

/** The write-ahead log of a file. */
export function openLog(file: string, { walPages }: DiskLimits): WriteAheadLog {
  const log = new WalSync(file);
  return {
    sync: () => log.sync(),
    copy: () => runUpkeep({ file, task: 'copy log' }),
    end: () => runUpkeep({ file, task: 'end log' }),
    longPages: Math.floor(walPages * COPY_SHARE),
    maxPages: walPages,
    close: () => log.close(),
  };
}

/** Opens a file that has all tables. Closing it releases `lock`. The simulation in test/sim has its own log. */
export async function openFile(
  file: string,
  limits: DiskLimits,
  lock: Pick<ProcessLock, 'release'>,
  log = openLog(file, limits),
): Promise<Database> {
  const signals = new Signals();
  const times = new StatementTimes(Object.values(Prisma.ModelName));
  const reserveFile = join(dirname(file), 'quarterdeck.reserve');
  const reserve = new SpaceReserve(reserveFile, limits.reserveBytes);
  let reader: Connection | undefined;
  let writes: WriteQueue | undefined;
  try {
    const openWriter = () =>
      new WriterConnection(
        file,
        limits,
        (scope, connection) => prisma.openSession(scope, connection),
        () => snapshot.end(),
        times,
      );
    // The writer comes first: it creates the files of the write-ahead log, which the reader needs.
    const queue = new WriteQueue(openWriter, log, reserve, () => signals.emit());
    writes = queue;
    reader = openReader(file);
    const snapshot = new Snapshot(reader);
    const prisma = createSqlitePrisma(reader, times);
    await prisma.connect();
    const threadQueue: ThreadQueue = {
      file,
      limits,
      writeMs: defaultLimits.writeMs,
      // A read from now on sees the commit of the thread.
      run: (write) =>
        times.write(
          queue.pushOutside((lockWaitMs) => write(lockWaitMs).finally(() => snapshot.end()), { bulk: true }),
          { bulk: true },
        ),
      onFull: () => reserve.release(),
    };
    const alone = <T>(work: () => T | Promise<T>) =>
      queue.pushOutside(async () => {
        snapshot.end();
        return await work();
      });
    const space = createDiskSpace({ file, reader, reserveFile, limits, alone });
    const clearDeleted = () => alone(() => runUpkeep({ file, task: 'rewrite' }));
    const read: Tx = {
      prisma: prisma.read,
      sql: new ReadSql(new StatementCache(reader, times), snapshot),
      signal() {
        throw new Error('Only a write can signal.');
      },
    };
    return assemble({ reader, read, prisma, writes: queue, threadQueue, space, clearDeleted, signals, lock });
  } catch (error) {
    reader?.close();
    await writes?.close();
    throw error;
  }
}

interface OpenFile {
  readonly reader: Connection;
  readonly read: Tx;
  readonly prisma: SharedPrisma;
  readonly writes: WriteQueue;
  readonly threadQueue: ThreadQueue;
  readonly space: DiskSpace;
  readonly clearDeleted: () => Promise<void>;
  readonly signals: Signals;
  readonly lock: Pick<ProcessLock, 'release'>;
}

function assemble({
  reader,
  read,
  prisma,
  writes,
  threadQueue,
  space,
  signals,
  lock,
  clearDeleted,
}: OpenFile): Database {
  const threads = new Set<{ close(): Promise<void> }>();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    try {
      await writes.finish();
      for (const thread of threads) await thread.close();
      // The last connection to close removes the write-ahead log, and only the writer can.
      reader.close();
      await writes.close();
      await prisma.close();
    } finally {
      lock.release();
    }
  }

  return {
    dialect: 'sqlite',
    read,
    readerSettings: { dialect: 'sqlite', file: threadQueue.file },
    space,
    clearDeleted,
    write: (work, options) => prisma.times.write(writes.push(work, options), options),
    statementTimes: prisma.times,
    queue: () => ({ waiting: writes.waiting }),
    openThread<Message, Answer>(options: ThreadOptions) {
      const thread = createWritingThread<Message, Answer>(threadQueue, options);
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
