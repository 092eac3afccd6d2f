// Kept counts on a real database of either kind.
import { openDatabase } from '@quarterdeck/core/db';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPlace, type Place } from '../../../test/start-api.ts';
import { applyChanges, Tally, tallyTable } from './tally.ts';

const TABLE = tallyTable('errlog_total', {
  src: 'int',
  app_id: 'int',
  level: 'int',
  service: 'text',
  state: 'text',
});

let place: Place;
let db: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  place = await newPlace();
  const { DATA_DIR: dataDir = '', DATABASE_URL: url = '' } = place.sharing;
  db = await openDatabase(url === '' ? { kind: 'sqlite', dataDir } : { kind: 'postgresql', url });
});
afterAll(async () => {
  await db.close();
  await place[Symbol.asyncDispose]();
});

describe('Tally', () => {
  it('adds up changes of the same key, and forgets what comes to nothing', () => {
    const tally = new Tally();
    tally.add([1, 'a'], 2);
    tally.add([1, 'b'], 5);
    tally.add([1, 'a'], 3);
    tally.add([2, 'a'], 1);
    tally.add([2, 'a'], -1);
    expect(tally.changes()).toEqual([
      { key: [1, 'a'], n: 5 },
      { key: [1, 'b'], n: 5 },
    ]);
  });

  it('takes keys apart that look alike', () => {
    const tally = new Tally();
    for (const key of [
      ['1,2', 3],
      ['1', 23],
      ['1,2,3', 3],
      [',', 3],
      ['', 3],
    ])
      tally.add(key, 1);
    expect(tally.changes()).toHaveLength(5);
  });
});

describe('applyChanges', () => {
  it('keeps a table equal to a map, whatever is added and taken away', async () => {
    const model = new Map<string, { src: number; state: string; n: number }>();
    const text = fc.constantFrom('a', 'a,1', "'; --", '"', '\\', '\u{1f600}', ' ', '$1', 'null', '1');
    const change = fc.tuple(text, fc.constantFrom(1, 2, 12, 2 ** 30), fc.integer({ min: -3, max: 3 }));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 30 }), async (changes) => {
        const tally = new Tally();
        for (const [state, src, wanted] of changes) {
          const key = JSON.stringify([state, src]);
          const before = model.get(key)?.n ?? 0;
          // Nothing is ever taken away that was not added.
          const n = Math.max(wanted, -before);
          tally.add([src, 0, 0, '', state], n);
          if (before + n === 0) model.delete(key);
          else model.set(key, { src, state, n: before + n });
        }
        await db.write((tx) => applyChanges(tx, TABLE, tally.changes()));
        const rows = await db.read.prisma.errlogTotal.findMany();
        const sorted = (list: readonly unknown[]) => list.map((row) => JSON.stringify(row)).sort();
        expect(sorted(rows.map(({ src, state, n }) => ({ src, state, n: Number(n) })))).toEqual(
          sorted([...model.values()]),
        );
      }),
      { numRuns: 60 },
    );
  });
});
