// The queue of writes on SQLite: groups, their failures, and faults from outside.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DatabaseError, isUniqueViolation, statement, type Tx } from '../../src/db/open/index.ts';
import { openReader } from '../../src/db/sqlite/connection.ts';
import { diskLimits } from '../../src/db/sqlite/disk-limits.ts';
import { openLog } from '../../src/db/sqlite/open.ts';
import { createSqlitePrisma } from '../../src/db/sqlite/prisma.ts';
import { SpaceReserve } from '../../src/db/sqlite/space-reserve.ts';
import { defaultLimits, type WriteLimits } from '../../src/db/sqlite/write-job.ts';
import { type WriteAheadLog, WriteQueue } from '../../src/db/sqlite/write-queue.ts';
import { WriterConnection } from '../../src/db/sqlite/writer-connection.ts';
import { StatementTimes } from '../../src/db/statement-times.ts';
import { createDirectory, newSqlite } from './databases.ts';

const add = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, 1)');
const addAgent = statement(
  `INSERT INTO "user" (username, password_hash, role, created_ms, modified_ms) VALUES (?, 'x', 'viewer', 1, 1)`,
);

const addNamed = (type: string) => (tx: Tx) => tx.sql.run(add, type, '');

/** A group ends with its writes, not with the time that a busy machine takes for them. */
const LIMITS: WriteLimits = { ...defaultLimits, groupMs: Number.POSITIVE_INFINITY };

/** A queue on a file of its own. */
async function openQueue(limits: Partial<WriteLimits> = {}, ownLog?: Partial<WriteAheadLog>) {
  const file = join((await newSqlite()).dataDir, 'quarterdeck.db');
  const counts = { commits: 0 };
  const openWriter = () =>
    new WriterConnection(
      file,
      diskLimits(),
      (scope, connection) => prisma.openSession(scope, connection),
      () => {
        counts.commits += 1;
      },
    );
  const log = { ...openLog(file, diskLimits()), ...ownLog };
  const reserve = new SpaceReserve(`${file}.reserve`);
  const queue = new WriteQueue(openWriter, log, reserve, () => {}, { ...LIMITS, ...limits });
  const reader = openReader(file);
  const prisma = createSqlitePrisma(reader, new StatementTimes([]));
  /** Another program's connection to the file. */
  const foreign = new BetterSqlite3(file, { timeout: 0 });
  onTestFinished(async () => {
    foreign.close();
    reader.close();
    await queue.close();
    await prisma.close();
  });
  const types = () => reader.prepare('SELECT type FROM event ORDER BY id').pluck().all() as string[];
  return { queue, counts, types, foreign };
}

/** Lets no time pass for the test. */
function stopTime(...toFake: ('performance' | 'setTimeout' | 'clearTimeout')[]): void {
  vi.useFakeTimers({ toFake });
  onTestFinished(() => void vi.useRealTimers());
}

describe('a commit', () => {
  it('is answered when it is durable, and the next ones run meanwhile', async () => {
    const syncs: PromiseWithResolvers<void>[] = [];
    const sync = () => {
      const next = Promise.withResolvers<void>();
      syncs.push(next);
      return next.promise;
    };
    const { queue, types } = await openQueue({}, { sync });
    const answered: string[] = [];
    const write = (name: string) => queue.push(addNamed(name)).then(() => answered.push(name));
    const first = write('a');
    await expect.poll(types).toEqual(['a']);
    const second = write('b');
    await expect.poll(types).toEqual(['a', 'b']);
    expect(answered).toEqual([]);
    syncs[0]?.resolve();
    await first;
    expect(answered).toEqual(['a']);
    syncs[1]?.resolve();
    await second;
  });

  it('that the disk did not store is refused, and the next write waits until nothing depends on it', async () => {
    const failures = [new DatabaseError('io'), undefined];
    let ends = 0;
    const copied = [new Error('the disk is gone'), undefined];
    const { queue, types } = await openQueue(
      {},
      {
        async sync() {
          const failure = failures.shift();
          if (failure !== undefined) throw failure;
        },
        async end() {
          ends += 1;
          const failure = copied.shift();
          if (failure !== undefined) throw failure;
        },
      },
    );
    await expect(queue.push(addNamed('a'))).rejects.toMatchObject({ kind: 'io' });
    await expect(queue.push(addNamed('b'))).rejects.toMatchObject({ kind: 'io' });
    expect(types()).toEqual(['a']);
    await queue.push(addNamed('c'));
    expect(types()).toEqual(['a', 'c']);
    expect(ends).toBe(2);
  });

  it('copies a long log beside other writes, which wait for the rest alone', async () => {
    const first = Promise.withResolvers<void>();
    const copy = vi.fn(async () => {}).mockImplementationOnce(() => first.promise);
    const { queue } = await openQueue({}, { copy, longPages: 1 });
    await queue.push(addNamed('a'));
    await queue.push(addNamed('b'));
    expect(copy).toHaveBeenCalledOnce();
    first.resolve();
    await nextRound();
    await queue.push(addNamed('c'));
    expect(copy).toHaveBeenCalledTimes(3);
  });
});

describe('a group of writes', () => {
  it('shares one commit', async () => {
    const { queue, counts, types } = await openQueue();
    await Promise.all(Array.from({ length: 64 }, (_, i) => queue.push(addNamed(String(i)))));
    expect(counts.commits).toBe(1);
    expect(types()).toHaveLength(64);
  });

  it('rolls back a failing write alone, at any place', async () => {
    const { queue, types } = await openQueue();
    const names = ['a', 'b!', 'c', 'd!', 'e', 'f!'];
    const results = await Promise.allSettled(
      names.map((name) =>
        queue.push(async (tx) => {
          await tx.sql.run(add, name, '');
          await tx.prisma.event.create({ data: { type: name, data: '', timeMs: 1n } });
          if (name.endsWith('!')) throw new Error(name);
          return name;
        }),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual(names.map((n) => (n.endsWith('!') ? 'rejected' : 'fulfilled')));
    expect(types()).toEqual(['a', 'a', 'c', 'c', 'e', 'e']);
  });

  it('starts again when the first one fails', async () => {
    const { queue, types } = await openQueue();
    const first = queue.push(async (tx) => {
      await tx.sql.run(add, 'first', '');
      throw new Error('first');
    });
    const second = queue.push(addNamed('second'));
    await expect(first).rejects.toThrow('first');
    await second;
    expect(types()).toEqual(['second']);
  });

  it('lets a later write see an earlier one, and fail because of it', async () => {
    const { queue } = await openQueue();
    const taken = (tx: Tx) => tx.sql.run(addAgent, 'ada');
    const [first, second] = await Promise.allSettled([queue.push(taken), queue.push(taken)]);
    expect(first.status).toBe('fulfilled');
    expect(second.status === 'rejected' && isUniqueViolation(second.reason)).toBe(true);
  });

  it('is not seen by readers before its commit', async () => {
    const { queue, types } = await openQueue();
    const seen: string[][] = [];
    await Promise.all([
      queue.push(addNamed('a')).then(async () => seen.push(types())),
      queue.push(async (tx) => {
        seen.push(types());
        await tx.sql.run(add, 'b', '');
      }),
    ]);
    expect(seen).toEqual([[], ['a', 'b']]);
  });

  it('does not block the event loop while the queue is long', async () => {
    const { queue } = await openQueue();
    let rounds = 0;
    let running = true;
    const count = () => {
      rounds += 1;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 640 }, (_, i) => queue.push(addNamed(String(i)))));
    running = false;
    expect(rounds).toBeGreaterThanOrEqual(10);
  });
});

describe('when SQLite fails', () => {
  it('stores the small writes when a large one fills the disk, and all again when there is space', async () => {
    stopTime('performance');
    const { queue, types } = await openQueue();
    const limitPages = (pages: number) =>
      queue.push(async (tx) => {
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
    const results = await Promise.allSettled(group.map((work) => queue.push(work)));
    const kinds = results.map((result) => (result.status === 'rejected' ? result.reason.kind : 'stored'));
    expect(kinds).toEqual(['stored', 'full', 'stored', 'full']);
    expect(types()).toEqual(['small', 'small']);
    // The reserved space is used up by now, so large writes are refused at once.
    await expect(queue.push(addNamed('bulk'), { bulk: true })).rejects.toMatchObject({ kind: 'full' });
    const prisma = queue.push((tx) => tx.prisma.event.create({ data: { type: 'p', data: large, timeMs: 1n } }));
    await expect(prisma).rejects.toMatchObject({ kind: 'full' });
    await limitPages(1_000_000);
    await queue.push(fill('after'));
    expect(types()).toContain('after');
  });

  it('rejects every write and starts clean when the commit fails', async () => {
    const { queue, types } = await openQueue();
    // Only a deferred foreign key makes a commit fail on demand.
    const orphan = async (tx: Tx) => {
      await tx.sql.run(statement('PRAGMA defer_foreign_keys = ON'));
      await tx.sql.run(statement("INSERT INTO recovery_code (user_id, code_hash) VALUES (12345, x'00')"));
    };
    const results = await Promise.allSettled([queue.push(orphan), queue.push(addNamed('neighbour'))]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await queue.push(addNamed('after'));
    expect(types()).toEqual(['after']);
  });

  it('is busy after a second in which another program holds the file, and recovers by itself', async () => {
    stopTime('performance');
    const { queue, types, foreign } = await openQueue();
    foreign.exec('BEGIN IMMEDIATE');
    const works = [addNamed('a'), (tx: Tx) => tx.prisma.event.create({ data: { type: 'b', data: '', timeMs: 1n } })];
    let left = works.length;
    const refused = Promise.allSettled(works.map((work) => queue.push<unknown>(work).finally(() => (left -= 1))));
    vi.advanceTimersByTime(defaultLimits.busyMs - 1);
    // The event loop goes on while the writes wait.
    for (let round = 0; round < 10; round += 1) await nextRound();
    expect(left).toBe(2);
    vi.advanceTimersByTime(1);
    const reasons = (await refused).map((result) => result.status === 'rejected' && result.reason.kind);
    expect(reasons).toEqual(['busy', 'busy']);
    foreign.exec('ROLLBACK');
    await queue.push(addNamed('after'));
    expect(types()).toEqual(['after']);
  });

  it('waits for another program that holds the file for a moment', async () => {
    const { queue, types, foreign } = await openQueue({ busyMs: 60_000 });
    foreign.exec('BEGIN IMMEDIATE');
    const patient = queue.push(addNamed('patient'));
    await nextRound();
    await nextRound();
    foreign.exec('ROLLBACK');
    await patient;
    expect(types()).toEqual(['patient']);
  });
});

describe('a write that never ends', () => {
  it('is rolled back, and cannot touch what comes after it', async () => {
    stopTime('setTimeout', 'clearTimeout');
    const { queue, types } = await openQueue();
    const later = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const hung = queue.push(async (tx) => {
      await tx.sql.run(add, 'hung', '');
      begun[0].resolve();
      await later.promise;
      await tx.sql.run(add, 'late', '').catch(late.resolve);
    });
    const prisma = queue.push(async (tx) => {
      await tx.prisma.event.create({ data: { type: 'hung too', data: '', timeMs: 1n } });
      begun[1].resolve();
      await new Promise(() => {});
    });
    const neighbour = queue.push(addNamed('neighbour'));
    for (const [index, write] of [hung, prisma].entries()) {
      await begun[index]?.promise;
      vi.advanceTimersByTime(defaultLimits.writeMs);
      await expect(write).rejects.toMatchObject({ kind: 'timeout' });
    }
    await neighbour;
    await queue.push(async (tx) => {
      later.resolve();
      expect(await late.promise).toMatchObject({ message: expect.stringContaining('after it had ended') });
      await tx.sql.run(add, 'next', '');
    });
    expect(types()).toEqual(['neighbour', 'next']);
  });
});

describe('the reserved space', () => {
  it('is an eighth of the free space, sixteen megabytes at most, and released once', async () => {
    stopTime('performance');
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
