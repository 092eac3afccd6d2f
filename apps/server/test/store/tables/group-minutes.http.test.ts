// Occurrences of groups by the minute, on a real database of either kind.
import type { Tx } from '@quarterdeck/core/db';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AddedMinutes,
  copyMinutes,
  mergeHours,
  minutesOfGroup,
  minutesOfGroups,
  replaceMinutes,
  sumsOfGroups,
} from '../../../../../packages/store/src/tables/group-minutes.ts';
import { atMost } from '../../../../../test/thoroughness.ts';
import { openStore } from '../../open-store.ts';

const GROUPS = [1, 2, 3];
const HOUR = 60;
/** Any, and those around the end of an hour. */
const minute = fc.oneof(fc.integer({ min: 0, max: 5 * HOUR - 1 }), fc.constantFrom(0, 59, 60, 119, 120));
const counts = fc.array(fc.tuple(minute, fc.constantFrom(1, 1, 1, 2, 61, 2 ** 32)), { minLength: 1, maxLength: 40 });
const group = fc.constantFrom(...GROUPS);

/** A step on the table, and the same on maps. */
interface Step {
  on(tx: Tx): Promise<unknown>;
  model(of: Map<number, number>[]): void;
}

const add = (to: Map<number, number>, at: number, n: number) => to.set(at, (to.get(at) ?? 0) + n);
const sorted = (of: ReadonlyMap<number, number>) => [...of].sort(([a], [b]) => a - b);

/** Adds in several batches, which makes texts long. */
const adding: fc.Arbitrary<Step> = fc.tuple(group, counts, fc.constantFrom(1, 3, 40)).map(([id, some, batches]) => ({
  on: async (tx) => {
    for (let i = 0; i < batches; i += 1) {
      const added = new AddedMinutes();
      for (const [at, n] of some) added.add(id, at, n);
      await added.apply(tx);
    }
  },
  model: (of) => {
    for (const [at, n] of some) add(of[id] as Map<number, number>, at, n * batches);
  },
}));
const copying: fc.Arbitrary<Step> = fc.tuple(group, group).map(([from, to]) => ({
  on: async (tx) => from !== to && copyMinutes(tx, from, to),
  model: (of) => {
    if (from !== to) for (const [at, n] of of[from] as Map<number, number>) add(of[to] as Map<number, number>, at, n);
  },
}));
const taking: fc.Arbitrary<Step> = fc.tuple(group, minute).map(([id, at]) => ({
  on: async (tx) => {
    const left = await minutesOfGroup(tx.sql, id);
    left.delete(at);
    await replaceMinutes(tx, id, left, [at]);
  },
  model: (of) => of[id]?.delete(at),
}));
const merging: fc.Arbitrary<Step> = fc.integer({ min: 0, max: 5 }).map((hour) => ({
  on: (tx) => mergeHours(tx, 1, 2, hour * HOUR),
  model: (of) => {
    for (const id of [1, 2]) {
      const before = [...(of[id] as Map<number, number>)];
      of[id]?.clear();
      for (const [at, n] of before) add(of[id] as Map<number, number>, at < hour * HOUR ? at - (at % HOUR) : at, n);
    }
  },
}));

describe('counts by the minute', () => {
  it('equal a map, whatever is added, copied, taken away and merged', async () => {
    await using store = await openStore();
    const { db } = store;
    const steps = fc.array(fc.oneof({ weight: 3, arbitrary: adding }, copying, taking, merging), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(steps, minute, minute, async (some, a, b) => {
        await db.write(({ prisma }) => prisma.errlogHour.deleteMany());
        const model = Array.from({ length: GROUPS.length + 1 }, () => new Map<number, number>());
        for (const step of some) {
          await db.write((tx) => step.on(tx));
          step.model(model);
        }
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const within = (id: number) => sorted(model[id] ?? new Map()).filter(([at]) => at >= from && at <= to);
        for (const id of GROUPS)
          expect(sorted(await minutesOfGroup(db.read.sql, id))).toEqual(sorted(model[id] ?? new Map()));
        expect(await minutesOfGroups(db.read.sql, GROUPS, from, to)).toEqual(
          GROUPS.flatMap((id) => within(id).map(([at, n]) => ({ id, minute: at, n }))),
        );
        const sums = await sumsOfGroups(db.read.sql, GROUPS, from, to);
        expect(sums.toSorted((one, other) => one.id - other.id)).toEqual(
          GROUPS.filter((id) => within(id).length > 0).map((id) => ({
            id,
            n: within(id).reduce((sum, [, n]) => sum + n, 0),
            last: within(id).at(-1)?.[0],
          })),
        );
        const longest = Math.max(
          0,
          ...(await db.read.prisma.errlogHour.findMany()).map(({ minutes }) => minutes.length),
        );
        expect(longest).toBeLessThan(3_000);
      }),
      { numRuns: atMost(15, 200) },
    );
  });
});
