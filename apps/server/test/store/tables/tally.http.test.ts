// Kept counts on a real database of either kind.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyChanges, Tally, tallyTable } from '../../../../../packages/store/src/tables/tally.ts';
import { atMost } from '../../../../../test/thoroughness.ts';
import { openStore } from '../../open-store.ts';

const TABLE = tallyTable('errlog_total', {
  src: 'int',
  app_id: 'int',
  level: 'int',
  service: 'text',
  state: 'text',
});

describe('applyChanges', () => {
  it('keeps a table equal to a map, whatever is added and taken away', async () => {
    await using store = await openStore();
    const { db } = store;
    const model = new Map<string, { src: number; service: string; state: string; n: number }>();
    const text = fc.constantFrom('a', 'a,1', "'; --", '"', '\\', '\u{1f600}', ' ', '$1', 'null', '1');
    const change = fc.tuple(text, text, fc.constantFrom(1, 2, 12, 2 ** 30), fc.integer({ min: -3, max: 3 }));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 30 }), async (changes) => {
        const tally = new Tally();
        for (const [service, state, src, wanted] of changes) {
          const key = JSON.stringify([service, state, src]);
          const before = model.get(key)?.n ?? 0;
          // Nothing is ever taken away that was not added.
          const n = Math.max(wanted, -before);
          tally.add([src, 0, 0, service, state], n);
          if (before + n === 0) model.delete(key);
          else model.set(key, { src, service, state, n: before + n });
        }
        await db.write((tx) => applyChanges(tx, TABLE, tally.changes()));
        const rows = await db.read.prisma.errlogTotal.findMany();
        const sorted = (list: readonly unknown[]) => list.map((row) => JSON.stringify(row)).sort();
        expect(sorted(rows.map(({ src, service, state, n }) => ({ src, service, state, n: Number(n) })))).toEqual(
          sorted([...model.values()]),
        );
      }),
      { numRuns: atMost(8, 60) },
    );
  });
});
