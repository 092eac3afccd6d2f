// Finds the name that a misspelt one was meant to be.

/** Names that are longer are not compared: nobody mistypes them for one of ours. */
const LENGTH_MAX = 64;

/**
 * Number of letters to add, remove, replace or swap with their neighbour to turn one text into another; `max + 1` for
 * every number above `max`.
 */
export function distance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max || Math.max(a.length, b.length) > LENGTH_MAX) return max + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const edit = Math.min(at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + (isSame ? 0 : 1));
      next.push(isSwap ? Math.min(edit, at(before, j - 2) + 1) : edit);
    }
    before = row;
    row = next;
  }
  return Math.min(at(row, b.length), max + 1);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY;

/** A name without case and separators: `startTime`, `start-time` and `start_time` are the same. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_.\s]/g, '');

/**
 * Returns the known name that a misspelt one was probably meant to be: the same but for case and separators, or at most
 * two letters away, one in short names. Undefined where none is near.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > LENGTH_MAX) return undefined;
  const wanted = plain(name);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const other = plain(candidate);
    const allowed = Math.min(2, Math.floor(Math.max(wanted.length, other.length) / 3));
    const letters = distance(wanted, other, allowed);
    if (letters <= allowed && letters < bestDistance) [best, bestDistance] = [candidate, letters];
  }
  return best;
}
