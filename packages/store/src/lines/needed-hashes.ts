// Hashes that the filter of a segment must have where a line of it matches.
import type { KnownFilter } from '../segments/filter-pieces.ts';

/**
 * All of some hashes, or conditions of which all or one must be met. `address`: the hashes of an address, in a filter
 * that has addresses, and a further condition, which is asked after them.
 */
export type NeededHashes =
  | { readonly kind: 'all'; readonly hashes: readonly number[] }
  | { readonly kind: 'and' | 'or'; readonly terms: readonly NeededHashes[] }
  | { readonly kind: 'address'; readonly hashes: readonly number[]; readonly also: NeededHashes };

/** A filter of which nothing is known. */
export const UNKNOWN_FILTER: KnownFilter = { hasAddresses: undefined, has: () => undefined };

/** Tells whether a filter has what is needed; undefined where unknown hashes decide. */
export function hasNeeded(needed: NeededHashes, filter: KnownFilter): boolean | undefined {
  const deciding = needed.kind === 'or';
  let answer: boolean | undefined = !deciding;
  for (const part of partsOf(needed, filter)) {
    const known = typeof part === 'number' ? filter.has(part) : hasNeeded(part, filter);
    if (known === deciding) return deciding;
    if (known === undefined) answer = undefined;
  }
  return answer;
}

function partsOf(needed: NeededHashes, { hasAddresses }: KnownFilter): readonly (number | NeededHashes)[] {
  switch (needed.kind) {
    case 'all':
      return needed.hashes;
    case 'address':
      return hasAddresses === false ? [needed.also] : [...needed.hashes, needed.also];
    default:
      return needed.terms;
  }
}

/** Unknown hashes that may decide, `n` at most of each list. */
export function nextHashes(needed: NeededHashes, filter: KnownFilter, n: number): readonly number[] {
  if (hasNeeded(needed, filter) !== undefined) return [];
  const parts = partsOf(needed, filter);
  const next = parts.filter((part) => typeof part === 'number' && filter.has(part) === undefined).slice(0, n);
  if (next.length > 0) return next as readonly number[];
  return parts.flatMap((part) => (typeof part === 'number' ? [] : nextHashes(part, filter, n)));
}
