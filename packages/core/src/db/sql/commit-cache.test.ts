import { describe, expect, it } from 'vitest';
import type { Sql } from '../open/index.ts';
import { CommitCache } from './commit-cache.ts';

/** A database of which only this is known: how often something was committed. */
function fakeDatabase() {
  const state = { commits: 0, fails: false };
  const get = async () => {
    if (state.fails) throw new Error('gone');
    return { mark: String(state.commits) };
  };
  return {
    state,
    db: { read: { sql: { get } as unknown as Sql } } as unknown as Parameters<CommitCache<0>['get']>[0],
  };
}

/** Something to find, which is found when it is allowed to. */
function findings() {
  const found: ((result: string) => void)[] = [];
  const failed: ((error: Error) => void)[] = [];
  const find = () =>
    new Promise<string>((resolve, reject) => {
      found.push(resolve);
      failed.push(reject);
    });
  return { find, found, failed };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('CommitCache', () => {
  it('runs a read once for concurrent and later callers', async () => {
    const { db } = fakeDatabase();
    const { find, found } = findings();
    const kept = new CommitCache<string>(2);
    const asked = [kept.get(db, 'key', find), kept.get(db, 'key', find)];
    await settled();
    expect(found).toHaveLength(1);
    found[0]?.('first');
    expect(await Promise.all(asked)).toEqual(['first', 'first']);
    expect(await kept.get(db, 'key', find)).toBe('first');
    expect(found).toHaveLength(1);
  });

  it('runs again after a write', async () => {
    const { db, state } = fakeDatabase();
    const kept = new CommitCache<number>(2);
    for (const commits of [0, 1, 2]) {
      state.commits = commits;
      expect(await kept.get(db, 'key', async () => commits)).toBe(commits);
    }
  });

  it('runs once more for all callers after a write during a run', async () => {
    const { db, state } = fakeDatabase();
    const { find, found } = findings();
    const kept = new CommitCache<string>(2);
    const before = kept.get(db, 'key', find);
    await settled();
    const after: Promise<string>[] = [];
    for (state.commits = 1; state.commits < 5; state.commits += 1) {
      after.push(kept.get(db, 'key', find));
      await settled();
    }
    expect(found).toHaveLength(1);
    found[0]?.('first');
    expect(await before).toBe('first');
    await settled();
    expect(found).toHaveLength(2);
    found[1]?.('second');
    expect(await Promise.all(after)).toEqual(['second', 'second', 'second', 'second']);
  });

  it('does not cache a failure, and later callers do not share it', async () => {
    const { db, state } = fakeDatabase();
    const { find, found, failed } = findings();
    const kept = new CommitCache<string>(2);
    const before = kept.get(db, 'key', find);
    before.catch(() => {});
    await settled();
    state.commits = 1;
    const after = kept.get(db, 'key', find);
    await settled();
    failed[0]?.(new Error('broken'));
    await expect(before).rejects.toThrow('broken');
    await settled();
    found[1]?.('second');
    expect(await after).toBe('second');
    state.fails = true;
    await expect(kept.get(db, 'key', find)).rejects.toThrow('gone');
    state.fails = false;
    expect(await kept.get(db, 'key', find)).toBe('second');
  });

  it('keeps results by database and key, and drops the oldest', async () => {
    const [one, other] = [fakeDatabase(), fakeDatabase()];
    const kept = new CommitCache<string>(2);
    const calls: string[] = [];
    const ask = (db: typeof one.db, key: string) =>
      kept.get(db, key, async () => {
        calls.push(key);
        return key;
      });
    for (const key of ['a', 'b', 'a', 'c', 'b', 'a']) expect(await ask(one.db, key)).toBe(key);
    expect(calls).toEqual(['a', 'b', 'c', 'a']);
    await ask(other.db, 'b');
    expect(calls).toEqual(['a', 'b', 'c', 'a', 'b']);
  });
});
