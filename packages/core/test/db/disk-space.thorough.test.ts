// The space of a SQLite file: how it is given back, and how the files beside it follow a bound.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Database, openDatabase, statement } from '../../src/db/open/index.ts';
import { compactSqlite } from '../../src/db/sqlite/compact.ts';
import { keepUnusedPages } from '../old-database.ts';
import { newSqlite, open } from './databases.ts';

const ADD = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, 1)');
const REMOVE_MOST = statement('DELETE FROM event WHERE id > 5');
const LEFT = statement('SELECT count(*) AS n FROM event');
const MEGABYTE = 1024 * 1024;

/** Stores twenty megabytes and deletes nearly all of them. */
async function fillAndEmpty(database: Database): Promise<void> {
  for (let part = 0; part < 20; part += 1) {
    await database.write(async (tx) => {
      for (let i = 0; i < 16; i += 1) await tx.sql.run(ADD, 'x', 'y'.repeat(MEGABYTE / 16));
    });
  }
  await database.write((tx) => tx.sql.run(REMOVE_MOST));
}

const sizeOf = (dataDir: string) => statSync(join(dataDir, 'quarterdeck.db')).size;

describe('the space of a file', () => {
  it('goes back to the system in slices, with the write-ahead log', async () => {
    const { dataDir } = await newSqlite();
    const database = await open({ kind: 'sqlite', dataDir, maxBytes: 20_000_000 });
    await fillAndEmpty(database);
    const { space } = database;
    const before = space?.fileBytes() ?? 0;
    expect(before).toBeGreaterThan(20 * MEGABYTE);
    expect(space?.unusedBytes()).toBeGreaterThan(18 * MEGABYTE);
    let slices = 1;
    while (await space?.giveBack()) slices += 1;
    expect(slices).toBeGreaterThan(2);
    expect(space?.unusedBytes()).toBe(0);
    // A megabyte of it is the reserve.
    expect(space?.fileBytes()).toBeLessThan(5 * MEGABYTE);
    expect(await database.read.sql.get(LEFT)).toEqual({ n: 5 });
  });

  it('of a file from before needs to be compacted once, while no server runs', async () => {
    const { dataDir } = await newSqlite();
    keepUnusedPages(dataDir);
    const database = await openDatabase({ kind: 'sqlite', dataDir, maxBytes: 20_000_000 });
    await fillAndEmpty(database);
    while (await database.space?.giveBack());
    expect(database.space?.unusedBytes()).toBeGreaterThan(18 * MEGABYTE);
    await expect(compactSqlite(dataDir)).rejects.toMatchObject({ kind: 'locked' });
    await database.close();
    const { before, after } = await compactSqlite(dataDir);
    expect([before - after > 18 * MEGABYTE, after]).toEqual([true, sizeOf(dataDir)]);
    const again = await open({ kind: 'sqlite', dataDir, maxBytes: 20_000_000 });
    expect(await again.read.sql.get(LEFT)).toEqual({ n: 5 });
    await fillAndEmpty(again);
    while (await again.space?.giveBack());
    expect(again.space?.unusedBytes()).toBe(0);
  });
});

describe('the write-ahead log', () => {
  it('starts over from time to time, however much is read', async () => {
    const place = await newSqlite();
    const database = await open(place);
    for (let i = 0; i < 150; i += 1) {
      await database.write(async (tx) => {
        await tx.sql.run(ADD, 'large', 'x'.repeat(1_000_000));
        await database.read.sql.all(LEFT);
      });
    }
    // SQLite starts over after 28,000 pages of 4 KiB, and a write.
    expect(statSync(join(place.dataDir, 'quarterdeck.db-wal')).size).toBeLessThan(120_000_000);
  });
});
