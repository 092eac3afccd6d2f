// Hashes that the filter of a segment must have where a line of it matches.

/** All of some hashes, or conditions of which all or one must be met. */
export type NeededHashes =
  | { readonly kind: 'all'; readonly hashes: readonly number[] }
  | { readonly kind: 'and' | 'or'; readonly terms: readonly NeededHashes[] };

/** Tells whether a hash is in a filter; undefined where that is not known. */
type KnownHash = (hash: number) => boolean | undefined;

/** Tells whether a filter has what is needed; undefined where unknown hashes decide. */
export function hasNeeded(needed: NeededHashes, has: KnownHash): boolean | undefined {
  const deciding = needed.kind === 'or';
  let answer: boolean | undefined = !deciding;
  for (const part of needed.kind === 'all' ? needed.hashes : needed.terms) {
    const known = typeof part === 'number' ? has(part) : hasNeeded(part, has);
    if (known === deciding) return deciding;
    if (known === undefined) answer = undefined;
  }
  return answer;
}

/** Unknown hashes that may decide, `n` at most of each list. */
export function nextHashes(needed: NeededHashes, has: KnownHash, n: number): readonly number[] {
  if (hasNeeded(needed, has) !== undefined) return [];
  if (needed.kind !== 'all') return needed.terms.flatMap((term) => nextHashes(term, has, n));
  return needed.hashes.filter((hash) => has(hash) === undefined).slice(0, n);
}
