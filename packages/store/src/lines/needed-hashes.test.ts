import fc from 'fast-check';
import { expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import type { KnownFilter } from '../segments/filter-pieces.ts';
import { hasNeeded, type NeededHashes, nextHashes } from './needed-hashes.ts';

const { needed: conditions } = fc.letrec<{ needed: NeededHashes }>((tie) => ({
  needed: fc.oneof(
    { depthSize: 'small' },
    fc.record({ kind: fc.constant('all' as const), hashes: fc.array(fc.nat(12), { maxLength: 5 }) }),
    fc.record({
      kind: fc.constant('address' as const),
      hashes: fc.array(fc.nat(12), { maxLength: 3 }),
      also: tie('needed'),
    }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      terms: fc.array(tie('needed'), { maxLength: 3 }),
    }),
  ),
}));

/** Evaluates a condition on a filter with known hashes, with or without addresses. */
const evaluate = (needed: NeededHashes, present: ReadonlySet<number>, hasAddresses: boolean): boolean => {
  const isMet = (term: NeededHashes) => evaluate(term, present, hasAddresses);
  if (needed.kind === 'all') return needed.hashes.every((hash) => present.has(hash));
  if (needed.kind === 'address')
    return isMet(needed.also) && (!hasAddresses || needed.hashes.every((hash) => present.has(hash)));
  return needed.kind === 'and' ? needed.terms.every(isMet) : needed.terms.some(isMet);
};

/** A filter of which asked hashes are known, and its form with the first of them. */
class AskedFilter implements KnownFilter {
  readonly #known = new Map<number, boolean>();
  readonly #present: ReadonlySet<number>;
  readonly #hasAddresses: boolean;

  constructor(present: ReadonlySet<number>, hasAddresses: boolean) {
    this.#present = present;
    this.#hasAddresses = hasAddresses;
  }

  get hasAddresses(): boolean | undefined {
    return this.#known.size === 0 ? undefined : this.#hasAddresses;
  }

  has(hash: number): boolean | undefined {
    return this.#known.get(hash);
  }

  ask(hash: number): void {
    this.#known.set(hash, this.#present.has(hash));
  }
}

it('asks for more hashes until they decide, and then says the same as all of them', () => {
  const n = fc.integer({ min: 1, max: 3 });
  fc.assert(
    fc.property(conditions, fc.uniqueArray(fc.nat(12)), fc.boolean(), n, (needed, list, hasAddresses, most) => {
      const present = new Set(list);
      const filter = new AskedFilter(present, hasAddresses);
      for (let asked = nextHashes(needed, filter, most); asked.length > 0; asked = nextHashes(needed, filter, most)) {
        expect(asked.some((hash) => filter.has(hash) !== undefined)).toBe(false);
        for (const hash of asked) filter.ask(hash);
      }
      expect(hasNeeded(needed, filter)).toBe(evaluate(needed, present, hasAddresses));
    }),
    { numRuns: atMost(300, 3_000) },
  );
});

it('asks for the hashes of an address alone, and for the others where it is there', () => {
  const needed: NeededHashes = { kind: 'address', hashes: [1, 2, 3], also: { kind: 'all', hashes: [4, 5] } };
  const ofAsked = (present: number[], hasAddresses: boolean) => {
    const filter = new AskedFilter(new Set(present), hasAddresses);
    const rounds: (readonly number[])[] = [];
    for (let asked = nextHashes(needed, filter, 4); asked.length > 0; asked = nextHashes(needed, filter, 4)) {
      rounds.push(asked);
      for (const hash of asked) filter.ask(hash);
    }
    return [...rounds, hasNeeded(needed, filter)];
  };
  expect(ofAsked([1, 2, 4, 5], true)).toEqual([[1, 2, 3], false]);
  expect(ofAsked([1, 2, 3, 4, 5], true)).toEqual([[1, 2, 3], [4, 5], true]);
  expect(ofAsked([4, 5], false)).toEqual([[1, 2, 3], [4, 5], true]);
});
