// A thread that writes, beside the writes of the main thread. The tests share one, and its database.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase, type WritingThread } from '../../src/db/open/index.ts';
import { copyTemplate } from './databases.ts';
import { add, addNamed, openTestThread, type ThreadMessage, typesIn } from './test-thread.ts';

let database: Database;
let thread: WritingThread<ThreadMessage, string[]>;
const lost: Error[] = [];
const types = () => typesIn(database);

beforeAll(async () => {
  database = await openDatabase(await copyTemplate(join(await mkdtemp(join(tmpdir(), 'quarterdeck-db-')), 'data')));
  thread = openTestThread(database, lost);
});
afterAll(() => database.close());
beforeEach(() => database.write((tx) => tx.prisma.event.deleteMany()));

describe('a thread that writes', () => {
  it('stores its messages, and readers see them as soon as it reports', async () => {
    for (let i = 0; i < 20; i += 1) {
      thread.post({ name: `a${i}` });
      thread.post({ name: `b${i}` });
      // Reads of this round of the event loop have a snapshot of before.
      expect(await types()).toHaveLength(2 * i);
      expect(await thread.write()).toEqual([`a${i}`, `b${i}`]);
      expect((await types()).slice(-2)).toEqual([`t:a${i}`, `t:b${i}`]);
    }
  });

  it('sees no open write of others, and they none of its', async () => {
    const gate = Promise.withResolvers<void>();
    const done: string[] = [];
    const first = database.write(async (tx) => {
      await tx.sql.run(add, 'first', '');
      await gate.promise;
      done.push('first');
    });
    thread.post({ name: 'second' });
    const second = thread.write().then(() => done.push('second'));
    const third = database.write(async (tx) => {
      done.push('third');
      await tx.sql.run(add, 'third', '');
    });
    expect(await types()).toEqual([]);
    gate.resolve();
    await Promise.all([first, second, third]);
    expect(done).toEqual(['first', 'second', 'third']);
    expect(await types()).toEqual(['first', 't:second', 'third']);
  });

  it('does not mix with groups of other writes, however many there are', async () => {
    const writes: Promise<unknown>[] = [];
    for (let i = 0; i < 300; i += 1) {
      if (i % 7 === 0) {
        thread.post({ name: String(i) });
        writes.push(thread.write());
      } else if (i % 11 === 0) {
        const refused = database.write(async (tx) => {
          await tx.sql.run(add, 'refused', '');
          throw new Error('refused');
        });
        writes.push(expect(refused).rejects.toThrow('refused'));
      } else writes.push(database.write(addNamed(String(i))));
    }
    await Promise.all(writes);
    const stored = (await types()).map((type) => Number(type.replace('t:', '')));
    const expected = Array.from({ length: 300 }, (_, i) => i).filter((i) => i % 7 === 0 || i % 11 !== 0);
    expect(stored.toSorted((a, b) => a - b)).toEqual(expected);
  });

  it('rolls back a refused write, with its error, and goes on', async () => {
    thread.post({ name: 'a' });
    thread.post({ fault: 'refuse' });
    await expect(thread.write()).rejects.toThrow('refused');
    thread.post({ name: 'b' });
    thread.post({ fault: 'fail' });
    await expect(thread.write()).rejects.toMatchObject({ name: 'DatabaseError', kind: 'io' });
    thread.post({ name: 'c' });
    expect(await thread.write()).toEqual(['c']);
    expect(await types()).toEqual(['t:c']);
    expect(lost).toEqual([]);
  });
});
