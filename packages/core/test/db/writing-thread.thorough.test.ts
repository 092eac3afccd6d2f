// A thread that writes: time limits, deaths, full disks, and the end of its database.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newSqlite, open } from './databases.ts';
import { addNamed, openTestThread, typesIn } from './test-thread.ts';

async function openOne() {
  const place = await newSqlite();
  const database = await open(place);
  const lost: Error[] = [];
  const foreign = new BetterSqlite3(join(place.dataDir, 'quarterdeck.db'), { timeout: 0 });
  onTestFinished(() => void foreign.close());
  const reserve = join(place.dataDir, 'quarterdeck.reserve');
  return { database, thread: openTestThread(database, lost), lost, types: () => typesIn(database), foreign, reserve };
}

describe('a thread that writes', () => {
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
    foreign.exec('ROLLBACK');
    thread.post({ name: 'c' });
    await thread.write();
    expect(await types()).toEqual(['t:a', 't:c']);
  });

  it('releases the reserved space when the disk is full, and is refused until there is space', async () => {
    const { database, thread, types, reserve } = await openOne();
    expect(existsSync(reserve)).toBe(true);
    // The reserve looks for space again after a second, and would find it.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
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
