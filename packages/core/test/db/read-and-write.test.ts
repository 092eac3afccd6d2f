// The same behaviour on both databases. The tests of a database share it; each begins with empty tables.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import {
  type Database,
  DatabaseError,
  isUniqueViolation,
  openDatabase,
  openThreadReader,
  statement,
  type ThreadReader,
  type Tx,
  toDatabaseError,
} from '../../src/db/open/index.ts';
import { copyTemplate, dialects, newSqlite, usePostgres } from './databases.ts';

const postgres = usePostgres();

const addEvent = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, ?)');
const listTypes = statement('SELECT type FROM event ORDER BY id');
const addUser = statement(
  'INSERT INTO "user" (username, password_hash, role, disabled, created_ms, modified_ms) VALUES (?, ?, ?, ?, ?, ?)',
);
const getUser = statement('SELECT disabled, created_ms FROM "user" WHERE username = ?');
const addSession = statement(
  `INSERT INTO session (user_id, token_hash, remember, address, client, created_ms, expire_ms)
   VALUES ((SELECT id FROM "user" WHERE username = ?), ?, ?, ?, ?, ?, ?)`,
);
const getHash = statement('SELECT token_hash FROM session WHERE token_hash = ?');
const addSegment = statement(
  `INSERT INTO errlog_segment (id, last_id, n, from_time, to_time, day, packed, bytes, "groups", filter, numbers, texts)
   VALUES (?, 9, 3, 1, 2, 0, TRUE, 7, ?, ?, ?, ?)`,
);
const readSegment = statement('SELECT id, n, packed, "groups", filter FROM errlog_segment WHERE id = ?');
const broken = statement('INSERT INTO event (type, data, time_ms) VALUES (NULL, NULL, NULL)');

const user = { username: 'ada', passwordHash: 'x', role: 'master', createdMs: 1n, modifiedMs: 1n };
const session = {
  tokenHash: new Uint8Array([1]),
  remember: true,
  address: '',
  client: '',
  createdMs: 1n,
  expireMs: 1n,
};

function addEventNamed(type: string) {
  return (tx: Tx) => tx.sql.run(addEvent, type, '{}', 1);
}

describe.each(nonEmpty(dialects))('%s', (dialect) => {
  let database: Database;
  // A step of its own: with the migrations it takes a busy machine long.
  if (dialect === 'postgresql') beforeAll(async () => void (await postgres()));
  beforeAll(async () => {
    database = await openDatabase(
      dialect === 'sqlite'
        ? await copyTemplate(join(await mkdtemp(join(tmpdir(), 'quarterdeck-db-')), 'data'))
        : { kind: 'postgresql', url: (await postgres()).url },
    );
  });
  afterAll(() => database?.close());
  beforeEach(() =>
    database.write(async ({ prisma }) => {
      await prisma.event.deleteMany();
      await prisma.user.deleteMany();
    }),
  );

  it('shows a reader what a write has committed, through Prisma and through statements', async () => {
    await database.write(async (tx) => {
      await tx.prisma.event.create({ data: { type: 'one', data: '{}', timeMs: 1n } });
      await tx.sql.run(addEvent, 'two', '{}', 2);
      expect(await tx.sql.all(listTypes)).toEqual([{ type: 'one' }, { type: 'two' }]);
      expect(await tx.prisma.event.count()).toBe(2);
    });
    expect(await database.read.sql.all(listTypes)).toEqual([{ type: 'one' }, { type: 'two' }]);
    expect(
      await database.read.prisma.event.findMany({ select: { type: true, timeMs: true }, orderBy: { id: 'asc' } }),
    ).toEqual([
      { type: 'one', timeMs: 1n },
      { type: 'two', timeMs: 2n },
    ]);
  });

  it('shows a write to every later reader, even if others have just read', async () => {
    for (const type of ['one', 'two', 'three']) {
      const before = await database.read.sql.all(listTypes);
      await database.write(async (tx) => {
        await tx.sql.run(addEvent, type, '{}', 1);
        expect(await database.read.sql.all(listTypes)).toEqual(before);
      });
      expect(await database.read.sql.all(listTypes)).toEqual([...before, { type }]);
      expect(await database.read.prisma.event.count()).toBe(before.length + 1);
    }
  });

  it('has this server as source 0', async () => {
    const source = await database.read.prisma.source.findUnique({ where: { id: 0 } });
    expect(source).toMatchObject({ nodeType: 1, nodeId: -1, name: 'quarterdeck' });
  });

  it('gives numbers, 0 or 1, and bytes', async () => {
    const hash = new Uint8Array([0, 1, 254, 255]);
    const later = 2 ** 42;
    await database.write(async (tx) => {
      await tx.sql.run(addUser, 'ada', 'x', 'master', 1, BigInt(later), later);
      await tx.sql.run(addSession, 'ada', hash, 0, 'here', 'test', later, later);
    });
    const found = await database.read.sql.get(getUser, 'ada');
    expect(found).toEqual({ disabled: 1, created_ms: later });
    expect(await database.read.sql.get(getUser, 'bob')).toBeUndefined();
    const row = await database.read.sql.get<{ token_hash: Uint8Array }>(getHash, hash);
    expect(row?.token_hash).toBeInstanceOf(Uint8Array);
    expect(row && [...row.token_hash]).toEqual([...hash]);
    const session = await database.read.prisma.session.findUnique({
      where: { tokenHash: hash },
      include: { user: true },
    });
    expect(session).toMatchObject({ remember: false, expireMs: BigInt(later), user: { disabled: true } });
  });

  it('keeps every kind of value through Prisma', async () => {
    const data = {
      nodeId: 'n-1',
      hostname: 'h\u{1f600}',
      badKernel: true,
      progressCurrent: 99,
      packageVersion: 9_007_199_254_740_993n,
      secretHash: new Uint8Array([7, 0, 9]),
      intervalS: 30,
      lastReportedMs: 1n,
      createdMs: 2n,
      modifiedMs: 3n,
    };
    const created = await database.write((tx) => tx.prisma.agent.create({ data }));
    expect(created).toMatchObject({ ...data, secretHash: expect.anything(), isDeleted: false, env: 'unknown' });
    expect([...created.secretHash]).toEqual([7, 0, 9]);
    expect(await database.read.prisma.agent.findUnique({ where: { nodeId: 'n-1' } })).toEqual(created);
    const updated = await database.write((tx) =>
      tx.prisma.agent.update({ where: { id: created.id }, data: { note: 'x', packageVersion: { increment: 1 } } }),
    );
    const changes = { note: 'x', packageVersion: data.packageVersion + 1n };
    expect(updated).toMatchObject(changes);
    const found = await database.read.prisma.agent.findUnique({ where: { nodeId: 'n-1' } });
    expect(found).toEqual({ ...created, ...changes });
  });

  it('has threads that write on SQLite alone', () => {
    expect(database.openThread !== undefined).toBe(dialect === 'sqlite');
  });

  it('calculates with whole numbers as integers', async () => {
    const divide = statement('SELECT time_ms / ? AS quotient FROM event');
    await database.write((tx) => tx.prisma.event.create({ data: { type: 'one', data: '', timeMs: 1n } }));
    expect(await database.read.sql.get(divide, 2)).toEqual({ quotient: 0 });
  });

  it('stores and finds whole numbers in the type of their columns with `numbersMeetColumns`', async () => {
    const meet = (text: string) => statement(text, { numbersMeetColumns: true });
    const timeMs = 2 ** 53 - 1;
    const add = meet('INSERT INTO event (type, data, time_ms) VALUES (?, ?, ?), (?, ?, ?)');
    await database.write(async ({ sql }) => {
      await (sql.sync ?? sql).run(add, 'one', '', timeMs, 'two', '', -7);
    });
    const find = meet('SELECT type, time_ms / 2 AS half FROM event WHERE time_ms = ?');
    expect(await database.read.sql.all(find, timeMs)).toEqual([{ type: 'one', half: 2 ** 52 - 1 }]);
    expect(await database.read.sql.all(find, -7)).toEqual([{ type: 'two', half: -3 }]);
    expect(await database.read.prisma.event.count({ where: { timeMs: BigInt(timeMs) } })).toBe(1);
  });

  it('returns the number of rows that a statement changed', async () => {
    const { changes } = await database.write(addEventNamed('one'));
    expect(changes).toBe(1);
    expect(await database.write((tx) => tx.sql.run(statement('DELETE FROM event')))).toMatchObject({ changes: 1 });
    expect(await database.write((tx) => tx.prisma.event.deleteMany())).toEqual({ count: 0 });
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

  it('refuses to find a unique row without a value', async () => {
    const refused = 'needs the value of a unique field';
    // Types forbid these filters; values may come from elsewhere.
    const wheres: object[] = [{}, { id: undefined }, { username: 'ada', id: undefined }, { previousHash: null }];
    await database.write(async ({ prisma }) => {
      await prisma.user.create({ data: user });
      for (const where of wheres) {
        await expect(prisma.user.findUnique({ where: where as { id: number } })).rejects.toThrow(refused);
      }
      await expect(
        prisma.knownAddress.findUnique({
          where: { userId_address: undefined } as unknown as { userId_address: never },
        }),
      ).rejects.toThrow(refused);
      expect(await prisma.user.findUnique({ where: { username: 'ada', totpSeed: null } })).toMatchObject(user);
    });
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

  it('recognises a taken key, and nothing else, as a unique violation', async () => {
    await database.write((tx) => tx.prisma.user.create({ data: user }));
    const failures = [
      database.write((tx) => tx.prisma.user.create({ data: user })),
      database.write((tx) => tx.sql.run(addUser, 'ada', 'x', 'master', 0, 1, 1)),
      database.write((tx) => tx.sql.run(broken)),
      database.write((tx) => tx.prisma.apiToken.create({ data: { ...token, userId: 999 } })),
    ];
    const errors = (await Promise.allSettled(failures)).map((result) => result.status === 'rejected' && result.reason);
    expect(errors.map(isUniqueViolation)).toEqual([true, true, false, false]);
    expect(errors.map(toDatabaseError)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('refuses to write in a read', async () => {
    await expect(database.read.sql.run(addEvent, 'one', '{}', 1)).rejects.toThrow();
    await expect(database.read.prisma.user.create({ data: user })).rejects.toThrow();
    expect(() => database.read.signal()).toThrow('Only a write can signal.');
    expect(await database.read.prisma.user.count()).toBe(0);
    await database.write(addEventNamed('one'));
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

  describe('a reader of a thread', () => {
    let reader: ThreadReader;
    beforeAll(async () => {
      reader = await openThreadReader(database.readerSettings);
    });
    afterAll(() => reader.close());

    it('sees one state of the data in a snapshot, and the newest in the next one', async () => {
      const before = await reader.snapshot(async (sql) => {
        const first = await sql.all(listTypes);
        await database.write(addEventNamed('late'));
        return [first, await sql.all(listTypes)];
      });
      expect(before).toEqual([[], []]);
      expect(await reader.snapshot((sql) => sql.all(listTypes))).toEqual([{ type: 'late' }]);
    });

    it('returns numbers, truth values and bytes in the same types', async () => {
      const bytes = Uint8Array.of(0, 0x27, 0x5c, 0xff);
      const none = new Uint8Array(0);
      await database.write((tx) => tx.sql.run(addSegment, 2 ** 52, bytes, none, none, none));
      const row = await reader.snapshot((sql) => sql.get<Record<string, unknown>>(readSegment, 2 ** 52));
      expect(row).toMatchObject({ id: 2 ** 52, n: 3, packed: 1 });
      expect([row?.['groups'], row?.['filter']].map((value) => [...(value as Uint8Array)])).toEqual([[...bytes], []]);
    });

    it('refuses to write, and reads on after a failure', async () => {
      await expect(reader.snapshot((sql) => sql.run(addEvent, 'x', '', 1))).rejects.toThrow();
      expect(await reader.snapshot((sql) => sql.all(listTypes))).toEqual([]);
    });
  });
});

const token = { name: 't', tokenHash: new Uint8Array([1]), tokenTail: 'x', createdMs: 1n, modifiedMs: 1n };
