// The queue of writes on SQLite: groups, their failures, and faults from outside.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isUniqueViolation, statement, type Tx } from '../../src/db/index.ts';
import { openReader } from '../../src/db/sqlite/connection.ts';
import { diskLimits } from '../../src/db/sqlite/disk-limits.ts';
import { createSqlitePrisma } from '../../src/db/sqlite/prisma.ts';
import { SpaceReserve } from '../../src/db/sqlite/space-reserve.ts';
import { WriteQueue } from '../../src/db/sqlite/write-queue.ts';
import { WriterConnection } from '../../src/db/sqlite/writer-connection.ts';
import { StatementTimes } from '../../src/db/statement-times.ts';
import { createDirectory, open } from './databases.ts';

const add = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, 1)');
const list = statement('SELECT type FROM event ORDER BY id');
const addAgent = statement(
  `INSERT INTO "user" (username, password_hash, role, created_ms, modified_ms) VALUES (?, 'x', 'viewer', 1, 1)`,
);

const addNamed = (type: string) => (tx: Tx) => tx.sql.run(add, type, '');

async function openOne() {
  const dataDir = join(await createDirectory(), 'data');
  const database = await open({ kind: 'sqlite', dataDir });
  const types = async () => (await database.read.sql.all<{ type: string }>(list)).map(({ type }) => type);
  return { database, types, file: join(dataDir, 'quarterdeck.db') };
}

/** Another program's connection to the file. */
function openForeign(file: string) {
  const foreign = new BetterSqlite3(file, { timeout: 0 });
  onTestFinished(() => {
    foreign.close();
  });
  return foreign;
}

describe('a group of writes', () => {
  it('shares one commit', async () => {
    const { database, file } = await openOne();
    const foreign = openForeign(file);
    // Changes once for each commit of another connection.
    const commits = () => Number(foreign.pragma('data_version', { simple: true }));
    const counted = foreign.prepare('SELECT count(*) FROM event').pluck();
    const before = commits();
    await Promise.all(Array.from({ length: 64 }, (_, i) => database.write(addNamed(String(i)))));
    expect(commits() - before).toBe(1);
    expect(counted.get()).toBe(64);
  });

  it('rolls back a failing write alone, at any place', async () => {
    const { database, types } = await openOne();
    const names = ['a', 'b!', 'c', 'd!', 'e', 'f!'];
    const results = await Promise.allSettled(
      names.map((name) =>
        database.write(async (tx) => {
          await tx.sql.run(add, name, '');
          await tx.prisma.event.create({ data: { type: name, data: '', timeMs: 1n } });
          if (name.endsWith('!')) throw new Error(name);
          return name;
        }),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual(names.map((n) => (n.endsWith('!') ? 'rejected' : 'fulfilled')));
    expect(await types()).toEqual(['a', 'a', 'c', 'c', 'e', 'e']);
  });

  it('starts again when the first one fails', async () => {
    const { database, types } = await openOne();
    const first = database.write(async (tx) => {
      await tx.sql.run(add, 'first', '');
      throw new Error('first');
    });
    const second = database.write(addNamed('second'));
    await expect(first).rejects.toThrow('first');
    await second;
    expect(await types()).toEqual(['second']);
  });

  it('lets a later write see an earlier one, and fail because of it', async () => {
    const { database } = await openOne();
    const taken = (tx: Tx) => tx.sql.run(addAgent, 'ada');
    const [first, second] = await Promise.allSettled([database.write(taken), database.write(taken)]);
    expect(first.status).toBe('fulfilled');
    expect(second.status === 'rejected' && isUniqueViolation(second.reason)).toBe(true);
  });

  it('is not seen by readers before its commit', async () => {
    const { database, types } = await openOne();
    const seen: string[][] = [];
    await Promise.all([
      database.write(addNamed('a')).then(async () => seen.push(await types())),
      database.write(async (tx) => {
        seen.push(await types());
        await tx.sql.run(add, 'b', '');
      }),
    ]);
    expect(seen).toEqual([[], ['a', 'b']]);
  });

  it('does not block the event loop while the queue is long', async () => {
    const { database } = await openOne();
    let rounds = 0;
    let running = true;
    const count = () => {
      rounds += 1;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 640 }, (_, i) => database.write(addNamed(String(i)))));
    running = false;
    expect(rounds).toBeGreaterThanOrEqual(10);
  });
});

describe('when SQLite fails', () => {
  it('stores the small writes when a large one fills the disk, and all again when there is space', async () => {
    const { database, types } = await openOne();
    const limitPages = (pages: number) =>
      database.write(async (tx) => {
        await tx.sql.get(statement(`PRAGMA max_page_count = ${pages}`));
      });
    await limitPages(1);
    const large = 'x'.repeat(100_000);
    const fill = (name: string) => (tx: Tx) => tx.sql.run(add, name, large);
    const swallow = async (tx: Tx) => {
      await tx.sql.run(add, 'swallowed', large).catch(() => {});
      await tx.sql.run(add, 'on its own', '').catch(() => {});
    };
    const group: ((tx: Tx) => Promise<unknown>)[] = [addNamed('small'), fill('large'), addNamed('small'), swallow];
    const results = await Promise.allSettled(group.map((work) => database.write(work)));
    const kinds = results.map((result) => (result.status === 'rejected' ? result.reason.kind : 'stored'));
    expect(kinds).toEqual(['stored', 'full', 'stored', 'full']);
    expect(await types()).toEqual(['small', 'small']);
    // The reserved space is used up by now, so large writes are refused at once.
    await expect(database.write(addNamed('bulk'), { bulk: true })).rejects.toMatchObject({ kind: 'full' });
    const prisma = database.write((tx) => tx.prisma.event.create({ data: { type: 'p', data: large, timeMs: 1n } }));
    await expect(prisma).rejects.toMatchObject({ kind: 'full' });
    await limitPages(1_000_000);
    await database.write(fill('after'));
    expect(await types()).toContain('after');
  });

  it('rejects every write and starts clean when the commit fails', async () => {
    const { database, types } = await openOne();
    // Only a deferred foreign key makes a commit fail on demand.
    const orphan = async (tx: Tx) => {
      await tx.sql.run(statement('PRAGMA defer_foreign_keys = ON'));
      await tx.sql.run(statement("INSERT INTO recovery_code (user_id, code_hash) VALUES (12345, x'00')"));
    };
    const results = await Promise.allSettled([database.write(orphan), database.write(addNamed('neighbour'))]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await database.write(addNamed('after'));
    expect(await types()).toEqual(['after']);
  });

  it('is busy within about a second while another program holds the file, without stalling, and recovers by itself', async () => {
    const { database, types, file } = await openOne();
    const foreign = openForeign(file);
    foreign.exec('BEGIN IMMEDIATE');
    let lastMs = performance.now();
    let stallMs = 0;
    const pulse = setInterval(() => {
      const nowMs = performance.now();
      stallMs = Math.max(stallMs, nowMs - lastMs);
      lastMs = nowMs;
    }, 5);
    const startMs = performance.now();
    const refused = await Promise.allSettled([
      database.write(addNamed('a')),
      database.write((tx) => tx.prisma.event.create({ data: { type: 'b', data: '', timeMs: 1n } })),
    ]);
    const waitedMs = performance.now() - startMs;
    expect(refused.map((result) => result.status === 'rejected' && result.reason.kind)).toEqual(['busy', 'busy']);
    expect(await types()).toEqual([]);
    const patient = database.write(addNamed('patient'));
    setTimeout(() => foreign.exec('ROLLBACK'), 100);
    await patient;
    clearInterval(pulse);
    expect(await types()).toEqual(['patient']);
    expect(waitedMs).toBeLessThan(2000);
    expect(stallMs).toBeLessThan(250);
  });
});

describe('a write that never ends', () => {
  it('is rolled back, and cannot touch what comes after it', async () => {
    const { database, types, file } = await openOne();
    const limits = { groupSize: 64, groupMs: 10, writeMs: 100, busyMs: 1000 };
    const reader = openReader(file);
    onTestFinished(() => {
      reader.close();
    });
    const shared = createSqlitePrisma(reader, new StatementTimes([]));
    const queue = new WriteQueue(
      () =>
        new WriterConnection(
          file,
          diskLimits(),
          (scope, connection) => shared.openSession(scope, connection),
          () => {},
        ),
      new SpaceReserve(`${file}.reserve`),
      () => {},
      limits,
    );
    onTestFinished(() => queue.close());
    const later = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<unknown>();
    const hung = queue.push(async (tx) => {
      await tx.sql.run(add, 'hung', '');
      await later.promise;
      await tx.sql.run(add, 'late', '').catch(ended.resolve);
    });
    const prisma = queue.push(async (tx) => {
      await tx.prisma.event.create({ data: { type: 'hung too', data: '', timeMs: 1n } });
      await new Promise(() => {});
    });
    const neighbour = queue.push(addNamed('neighbour'));
    await expect(hung).rejects.toMatchObject({ kind: 'timeout' });
    await expect(prisma).rejects.toMatchObject({ kind: 'timeout' });
    await neighbour;
    await queue.push(async (tx) => {
      later.resolve();
      expect(await ended.promise).toMatchObject({ message: expect.stringContaining('after it had ended') });
      await tx.sql.run(add, 'next', '');
    });
    expect(await types()).toEqual(['neighbour', 'next']);
    await database.write(addNamed('other connection'));
  });
});

describe('the reserved space', () => {
  it('is an eighth of the free space, sixteen megabytes at most, and released once', async () => {
    const file = join(await createDirectory(), 'reserve');
    const reserve = new SpaceReserve(file);
    const { size, mode } = await stat(file);
    expect(size).toBeGreaterThan(0);
    expect(size).toBeLessThanOrEqual(16 * 1024 * 1024);
    expect(mode & 0o777).toBe(0o600);
    expect(reserve.hasSpace).toBe(true);
    expect(new SpaceReserve(file).release()).toBe(true);
    expect(reserve.release()).toBe(true);
    expect(reserve.release()).toBe(false);
    expect(reserve.hasSpace).toBe(false);
    await expect(stat(file)).rejects.toThrow();
  });
});
