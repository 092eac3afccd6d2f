import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasNeeded, type NeededHashes, nextHashes } from './needed-hashes.ts';

const { needed: conditions } = fc.letrec<{ needed: NeededHashes }>((tie) => ({
  needed: fc.oneof(
    { depthSize: 'small' },
    fc.record({ kind: fc.constant('all' as const), hashes: fc.array(fc.nat(12), { maxLength: 5 }) }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      terms: fc.array(tie('needed'), { maxLength: 3 }),
    }),
  ),
}));

/** Evaluates a condition on a filter with known hashes. */
const evaluate = (needed: NeededHashes, present: ReadonlySet<number>): boolean => {
  if (needed.kind === 'all') return needed.hashes.every((hash) => present.has(hash));
  const isMet = (term: NeededHashes) => evaluate(term, present);
  return needed.kind === 'and' ? needed.terms.every(isMet) : needed.terms.some(isMet);
};

it('asks for more hashes until they decide, and then says the same as all of them', () => {
  fc.assert(
    fc.property(conditions, fc.uniqueArray(fc.nat(12)), fc.integer({ min: 1, max: 3 }), (needed, list, n) => {
      const present = new Set(list);
      const known = new Map<number, boolean>();
      const has = (hash: number) => known.get(hash);
      for (let asked = nextHashes(needed, has, n); asked.length > 0; asked = nextHashes(needed, has, n)) {
        expect(asked.some((hash) => known.has(hash))).toBe(false);
        for (const hash of asked) known.set(hash, present.has(hash));
      }
      expect(hasNeeded(needed, has)).toBe(evaluate(needed, present));
    }),
  );
});
