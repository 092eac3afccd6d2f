// Values and reads, the same on both databases. The tests of a database share it; each begins with empty tables.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import {
  type Database,
  isUniqueViolation,
  openThreadReader,
  statement,
  type ThreadReader,
  toDatabaseError,
} from '../../src/db/open/index.ts';
import { dialects, usePostgres } from './databases.ts';
import { addEvent, addEventNamed, addUser, broken, listTypes, user, useSharedDatabase } from './shared-database.ts';

const postgres = usePostgres();

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

const token = { name: 't', tokenHash: new Uint8Array([1]), tokenTail: 'x', createdMs: 1n, modifiedMs: 1n };

describe.each(nonEmpty(dialects))('%s', (dialect) => {
  const shared = useSharedDatabase(dialect, postgres);
  let database: Database;
  beforeAll(() => {
    database = shared();
  });

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
