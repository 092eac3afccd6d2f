// A thread that writes, beside the writes of the main thread.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type DatabaseError, statement, type Tx } from '../../src/db/index.ts';
import { createDirectory, open, openNew } from './databases.ts';
import type { ThreadMessage } from './thread.ts';

const add = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, 1)');
const list = statement('SELECT type FROM event ORDER BY id');
const addNamed = (type: string) => (tx: Tx) => tx.sql.run(add, type, '');

async function openOne() {
  const dataDir = join(await createDirectory(), 'data');
  const database = await open({ kind: 'sqlite', dataDir });
  const lost: DatabaseError[] = [];
  const thread = database.openThread?.<ThreadMessage, string[]>({
    file: new URL('./thread.ts', import.meta.url),
    settings: { prefix: 't:' },
    onLost: (error) => lost.push(error),
  });
  if (thread === undefined) throw new Error('SQLite has threads');
  const types = async () => (await database.read.sql.all<{ type: string }>(list)).map(({ type }) => type);
  const foreign = new BetterSqlite3(join(dataDir, 'quarterdeck.db'), { timeout: 0 });
  onTestFinished(() => {
    foreign.close();
  });
  return { database, thread, lost, types, foreign, reserve: join(dataDir, 'quarterdeck.reserve') };
}

describe('a thread that writes', () => {
  it('does not exist on PostgreSQL', async () => {
    expect((await openNew('postgresql')).openThread).toBeUndefined();
  });

  it('stores its messages, and readers see them as soon as it reports', async () => {
    const { thread, types } = await openOne();
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
    const { database, thread, types } = await openOne();
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
    const { database, thread, types } = await openOne();
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
    const wanted = Array.from({ length: 300 }, (_, i) => i).filter((i) => i % 7 === 0 || i % 11 !== 0);
    expect(stored.toSorted((a, b) => a - b)).toEqual(wanted);
  });

  it('rolls back a refused write, with its error, and goes on', async () => {
    const { thread, lost, types } = await openOne();
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

  it('is stopped after five seconds', async () => {
    const { thread, types } = await openOne();
    thread.post({ fault: 'overtime' });
    await expect(thread.write()).rejects.toMatchObject({ kind: 'timeout' });
    expect(await types()).toEqual([]);
  });

  it('may die in the middle of a write: nothing of it is stored, others go on, and the next message starts another', async () => {
    const { database, thread, lost, types } = await openOne();
    for (const round of [1, 2]) {
      thread.post({ name: 'gone' });
      thread.post({ fault: 'die' });
      const dying = thread.write();
      const after = database.write(addNamed(`after ${round}`));
      await expect(dying).rejects.toMatchObject({ kind: 'unavailable' });
      expect(lost).toHaveLength(round);
      await after;
      thread.post({ name: `again ${round}` });
      expect(await thread.write()).toEqual([`again ${round}`]);
    }
    expect(await types()).toEqual(['after 1', 't:again 1', 'after 2', 't:again 2']);
  });

  it('is busy within about a second while another program holds the file, and recovers by itself', async () => {
    const { thread, types, foreign } = await openOne();
    thread.post({ name: 'a' });
    await thread.write();
    foreign.exec('BEGIN IMMEDIATE');
    thread.post({ name: 'b' });
    await expect(thread.write()).rejects.toMatchObject({ kind: 'busy' });
    thread.post({ name: 'c' });
    const patient = thread.write();
    expect(await types()).toEqual(['t:a']);
    foreign.exec('ROLLBACK');
    await patient;
    expect(await types()).toEqual(['t:a', 't:c']);
  });

  it('releases the reserved space when the disk is full, and is refused until there is space', async () => {
    const { database, thread, types, reserve } = await openOne();
    expect(existsSync(reserve)).toBe(true);
    thread.post({ fault: 'fill' });
    expect(await thread.write()).toEqual(['full']);
    expect(existsSync(reserve)).toBe(false);
    await expect(thread.write()).rejects.toMatchObject({ kind: 'full' });
    await database.write(addNamed('small'));
    expect(await types()).toEqual(['small']);
  });

  it('finishes its write before the database closes, and takes no other', async () => {
    const { database, thread, lost, foreign } = await openOne();
    thread.post({ name: 'last' });
    const last = thread.write();
    await database.close();
    expect(await last).toEqual(['last']);
    await expect(thread.write()).rejects.toMatchObject({ kind: 'closed' });
    expect(foreign.prepare('SELECT type FROM event').pluck().all()).toEqual(['t:last']);
    expect(lost).toEqual([]);
  });

  it('checkpoints its write-ahead log', async () => {
    const { thread, foreign } = await openOne();
    // More pages than one checkpoint copies, in two hundred writes.
    for (let i = 0; i < 200; i += 1) {
      for (let k = 0; k < 150; k += 1) thread.post({ name: 'x'.repeat(4000) });
      await thread.write();
    }
    const [{ log = 0 } = {}] = foreign.pragma('wal_checkpoint(NOOP)') as { log: number }[];
    expect(log).toBeLessThan(26_000);
  });
});
