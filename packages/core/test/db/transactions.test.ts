// Writes as transactions, the same on both databases. The tests of a database share it; each begins with empty tables.
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { type Database, DatabaseError, openDatabase, type Tx } from '../../src/db/open/index.ts';
import { dialects, newSqlite, usePostgres } from './databases.ts';
import { addEvent, addEventNamed, addUser, broken, listTypes, user, useSharedDatabase } from './shared-database.ts';

const postgres = usePostgres();

const session = {
  tokenHash: new Uint8Array([1]),
  remember: true,
  address: '',
  client: '',
  createdMs: 1n,
  expireMs: 1n,
};

describe.each(nonEmpty(dialects))('%s', (dialect) => {
  const shared = useSharedDatabase(dialect, postgres);
  let database: Database;
  beforeAll(() => {
    database = shared();
  });

  it('rolls a write back that throws, with nested writes and all', async () => {
    const failing = database.write(async (tx) => {
      await tx.prisma.user.create({ data: { ...user, sessions: { create: session } } });
      await tx.sql.run(addEvent, 'one', '{}', 1);
      throw new Error('on second thoughts');
    });
    await expect(failing).rejects.toThrow('on second thoughts');
    expect(await database.read.prisma.user.count()).toBe(0);
    expect(await database.read.sql.all(listTypes)).toEqual([]);
  });

  it('keeps statements out of the savepoint of a nested write beside them, which is rolled back', async () => {
    const refused: unknown[] = [];
    await database.write(async (tx) => {
      const missing = (id: number) =>
        tx.prisma.user
          .update({ where: { id }, data: { role: 'viewer', sessions: { create: session } } })
          .catch((error: unknown) => refused.push(error));
      await Promise.all([
        missing(998),
        tx.prisma.event.create({ data: { type: 'one', data: '{}', timeMs: 1n } }),
        missing(999),
        ...['two', 'three'].map(async (type) => {
          // At different moments of the nested writes.
          for (let i = 0; i < 10; i += 1) {
            await tx.sql.run(addEvent, type, '{}', 2);
            await Promise.resolve();
          }
        }),
      ]);
    });
    expect(refused).toHaveLength(2);
    expect(await database.read.prisma.event.count()).toBe(21);
  });

  it('shows each of several writes its own rows, when all ask at once', async () => {
    const names = ['ada', 'bob', 'eve', 'kim'];
    const arrived = Promise.withResolvers<void>();
    let waiting = names.length;
    const found = names.map((username) =>
      database.write(async ({ prisma }) => {
        const { id } = await prisma.user.create({ data: { ...user, username } });
        const key = { userId: id, address: '192.0.2.1' };
        await prisma.knownAddress.create({ data: { ...key, lastMs: 1n } });
        waiting -= 1;
        // On SQLite they run one after another.
        if (waiting === 0 || dialect === 'sqlite') arrived.resolve();
        await arrived.promise;
        const [byName, byId, byKey] = await Promise.all([
          Promise.all(names.map((name) => prisma.user.findUnique({ where: { username: name } }))),
          prisma.user.findUniqueOrThrow({ where: { id }, select: { username: true } }),
          prisma.knownAddress.findUnique({ where: { userId_address: key }, include: { user: true } }),
          database.read.prisma.user.findUnique({ where: { id } }).then((row) => expect(row).toBeNull()),
        ]);
        return [byName.find((row) => row?.id === id)?.username, byId.username, byKey?.user.username];
      }),
    );
    expect(await Promise.all(found)).toEqual(names.map((name) => [name, name, name]));
  });

  it('waits for what a write did not await', async () => {
    await database.write(async (tx) => {
      void tx.prisma.event.create({ data: { type: 'one', data: '{}', timeMs: 1n } });
      void tx.sql.run(addEvent, 'two', '{}', 2);
    });
    expect(await database.read.prisma.event.count()).toBe(2);
  });

  it('stores the statements that a write left running as it ended, all or none', async () => {
    const leaving = (...types: (string | null)[]) => {
      const work = async (tx: Tx) => {
        await tx.sql.run(addEvent, 'first', '{}', 1);
        for (const type of types) tx.sql.run(addEvent, type, '{}', 2).catch(() => {});
      };
      return database.write(work, { endsPipelined: true });
    };
    await expect(leaving('second', null, 'third')).rejects.toThrow('type');
    expect(await database.read.sql.all(listTypes)).toEqual([]);
    await leaving('second', 'third');
    expect(await database.read.sql.all(listTypes)).toEqual(['first', 'second', 'third'].map((type) => ({ type })));
  });

  it('fails a write whose statement failed, even if it caught the error', async () => {
    const catchesError = (action: (tx: Tx) => Promise<unknown>) =>
      database.write(async (tx) => {
        await tx.sql.run(addUser, 'ada', 'x', 'master', 0, 1, 1);
        await action(tx).catch(() => {});
      });
    await expect(catchesError((tx) => tx.sql.run(broken))).rejects.toThrow();
    await expect(catchesError((tx) => tx.prisma.user.create({ data: user }))).rejects.toThrow();
    expect(await database.read.prisma.user.count()).toBe(0);
  });

  it('refuses to use a transaction after its write has ended', async () => {
    let kept: Tx | undefined;
    let events: Tx['prisma']['event'] | undefined;
    await database.write(async (tx) => {
      kept = tx;
      events = tx.prisma.event;
    });
    const inside = database.write(async () => {
      await expect(kept?.sql.run(addEvent, 'late', '{}', 1)).rejects.toThrow('after it had ended');
      await expect(events?.create({ data: { type: 'late', data: '{}', timeMs: 1n } })).rejects.toThrow(
        'after it had ended',
      );
      expect(() => kept?.prisma).toThrow('after it had ended');
      expect(() => kept?.signal()).toThrow('after it had ended');
    });
    await inside;
    expect(await database.read.sql.all(listTypes)).toEqual([]);
  });

  it('signals after the commit, and only what was committed', async () => {
    let heard = 0;
    const both = Promise.withResolvers<void>();
    onTestFinished(
      database.onSignal(() => {
        throw new Error('not my day');
      }),
    );
    const stop = database.onSignal(() => {
      heard += 1;
      both.resolve();
    });
    await database.write(async (tx) => tx.signal());
    await both.promise;
    const failing = database.write(async (tx) => {
      tx.signal();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await database.write(addEventNamed('silent'));
    stop();
    await database.write(async (tx) => tx.signal());
    // PostgreSQL calls once more when it has begun to listen.
    expect(heard).toBeLessThanOrEqual(dialect === 'sqlite' ? 1 : 2);
  });

  it('answers a ping until it is closed, and finishes the writes it has taken', async () => {
    const closing = await openDatabase(
      dialect === 'sqlite' ? await newSqlite() : { kind: 'postgresql', url: (await postgres()).url },
    );
    await closing.ping();
    const writes = Promise.all(['one', 'two', 'three'].map((type) => closing.write(addEventNamed(type))));
    const closed = closing.close();
    await expect(closing.write(addEventNamed('late'))).rejects.toMatchObject({ kind: 'closed' });
    await expect(writes).resolves.toHaveLength(3);
    await closed;
    await closing.close();
    await expect(closing.ping()).rejects.toBeInstanceOf(DatabaseError);
    await expect(closing.read.sql.all(listTypes)).rejects.toMatchObject({ kind: 'closed' });
  });
});
