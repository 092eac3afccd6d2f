// Packing on a real database: every line stays, once, with its id.
import { type Sql, statement } from '@quarterdeck/core/db';
import { describe, expect, it } from 'vitest';
import { createPacker } from '../../../../../packages/store/src/packing/packer.ts';
import { IS_THOROUGH } from '../../../../../test/thoroughness.ts';
import { appendTexts, readAllLines, readAllSegments } from '../../all-lines.ts';
import { failAtEachWrite } from '../../failing-writes.ts';
import { openStore } from '../../open-store.ts';
import { DIALECT } from '../../start-api.ts';

const NOW_S = 1_795_000_000;
const DAY_S = 86_400;
const ERASE = statement('DELETE FROM errlog_segment WHERE id = 401');
const never = () => false;
const texts = (n: number, of: string) => Array.from({ length: n }, (_, i) => `${of} ${i} timed out after ${i * 7} ms`);
const packerOf = (store: Awaited<ReturnType<typeof openStore>>) => createPacker(store.db);

describe('packing', () => {
  it('makes one segment of many batches and keeps every line with its id', async () => {
    await using store = await openStore();
    const { db } = store;
    for (let batch = 0; batch < 12; batch += 1) await appendTexts(db, texts(1 + batch * 9, `batch ${batch}`), NOW_S);
    const before = await readAllLines(db);
    expect(before.map(({ id }) => id)).toEqual(before.map((_, i) => i + 1));
    const packer = packerOf(store);
    await packer.run(never);
    const segments = await readAllSegments(db);
    expect(segments).toMatchObject([{ packed: 1, day: Math.floor(NOW_S / DAY_S), id: 1, n: before.length }]);
    expect(segments[0]?.filter.length).toBeGreaterThan(0);
    expect(segments[0]?.lines).toEqual(before);
    await packer.close();
  });

  it('leaves a quiet system with few segments', async () => {
    await using store = await openStore();
    const packer = packerOf(store);
    for (let minute = 0; minute < 30; minute += 1) {
      await appendTexts(store.db, texts(3, `minute ${minute}`), NOW_S);
      await packer.packAll();
    }
    const segments = await readAllSegments(store.db);
    expect(segments.length).toBeLessThan(12);
    expect(segments.flatMap(({ lines }) => lines.map(({ id }) => id))).toEqual(
      Array.from({ length: 90 }, (_, i) => i + 1),
    );
    await packer.close();
  });

  it('keeps every line once, whichever write is the last before a crash', async () => {
    await using store = await openStore();
    const { db } = store;
    let before: Awaited<ReturnType<typeof readAllLines>> = [];
    const failed = await failAtEachWrite(db, {
      async prepare() {
        for (const text of ['a', 'b', 'c']) await appendTexts(db, texts(40, text), NOW_S);
        before = await readAllLines(db);
      },
      async run(on) {
        const packer = createPacker(on);
        try {
          await packer.packAll();
        } finally {
          await packer.close();
        }
      },
      async check() {
        expect(await readAllLines(db)).toEqual(before);
        expect((await readAllSegments(db)).map(({ packed }) => packed)).not.toContain(0);
      },
    });
    expect(failed).toBeGreaterThan(0);
  });

  // On PostgreSQL the read and the replacement are one transaction.
  it.runIf(DIALECT === 'sqlite')('changes nothing where lines were erased meanwhile', async () => {
    await using store = await openStore();
    const { db } = store;
    for (const text of ['a', 'b', 'c']) await appendTexts(db, texts(400, text), NOW_S);
    let erased = false;
    const { sql } = db.read;
    // Another write comes between the read of the segments and their replacement.
    const slow: Sql = {
      get: (...args) => sql.get(...args),
      run: (...args) => sql.run(...args),
      async all<R>(...args: Parameters<Sql['all']>) {
        const rows = await sql.all<R>(...args);
        if (!erased && args[0].sqlite.includes('texts')) {
          erased = true;
          await db.write((tx) => tx.sql.run(ERASE));
        }
        return rows;
      },
    };
    const read = { ...db.read, sql: slow, signal: db.read.signal, prisma: db.read.prisma };
    const packer = createPacker({ ...db, read });
    await packer.packAll();
    expect(erased).toBe(true);
    expect((await readAllSegments(db)).map(({ packed, n }) => [packed, n])).toEqual([
      [0, 400],
      [0, 400],
    ]);
    await packer.packAll();
    expect((await readAllSegments(db)).map(({ packed, n, id }) => [packed, n, id])).toEqual([[1, 800, 1]]);
    await packer.close();
  });
});

// A thread is worth its start for full segments.
it.runIf(IS_THOROUGH)('packs a full segment at once, and the rest a while later or when the server stops', async () => {
  await using store = await openStore();
  const { db } = store;
  const packer = packerOf(store);
  await packer.run(never);
  for (let batch = 0; batch < 7; batch += 1) await appendTexts(db, texts(10_000, `batch ${batch}`), NOW_S);
  const before = await readAllLines(db);
  await packer.run(never);
  expect((await readAllSegments(db)).map(({ packed, n }) => [packed, n])).toEqual([
    [1, 60_000],
    [0, 10_000],
  ]);
  await packer.close();
  expect((await readAllSegments(db)).map(({ packed, n }) => [packed, n])).toEqual([
    [1, 60_000],
    [1, 10_000],
  ]);
  expect(await readAllLines(db)).toEqual(before);
});

it.runIf(IS_THOROUGH)('packs once where several servers do', async () => {
  await using store = await openStore();
  const { db } = store;
  for (let batch = 0; batch < 12; batch += 1) await appendTexts(db, texts(2_000, `batch ${batch}`), NOW_S);
  const before = await readAllLines(db);
  const packers = [1, 2, 3].map(() => packerOf(store));
  await Promise.all(packers.map((packer) => packer.packAll()));
  expect((await readAllSegments(db)).map(({ packed, n }) => [packed, n])).toEqual([[1, 24_000]]);
  expect(await readAllLines(db)).toEqual(before);
  await Promise.all(packers.map((packer) => packer.close()));
});
