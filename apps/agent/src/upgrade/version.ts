// Compares versions (https://semver.org). A version is also a part of file names, so its form is strict.

/** A version: three numbers, and the words of a pre-release behind a hyphen. */
export const VERSION = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z-]{1,20}(?:\.[0-9A-Za-z-]{1,20}){0,9}))?$/;

/** Compares two words of a pre-release: numbers by value and before texts. */
function compareWords(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  // The longer pre-release is the later one.
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const [isNumberA, isNumberB] = [a, b].map((word) => /^\d+$/.test(word));
  if (isNumberA && isNumberB) return Number(a) - Number(b);
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return a < b ? -1 : 1;
}

/** Negative where `a` is older than `b`, 0 where they are equal. Text that is no version is older than any version. */
export function compareVersions(a: string, b: string): number {
  const [partsA, partsB] = [VERSION.exec(a), VERSION.exec(b)];
  if (partsA === null || partsB === null) return Number(partsA !== null) - Number(partsB !== null);
  for (const part of [1, 2, 3]) {
    const difference = Number(partsA[part]) - Number(partsB[part]);
    if (difference !== 0) return difference;
  }
  const [wordsA, wordsB] = [partsA[4], partsB[4]];
  // A pre-release comes before its release.
  if (wordsA === undefined || wordsB === undefined) return Number(wordsA === undefined) - Number(wordsB === undefined);
  const [listA, listB] = [wordsA.split('.'), wordsB.split('.')];
  for (let index = 0; index < Math.max(listA.length, listB.length); index += 1) {
    const order = compareWords(listA[index], listB[index]);
    if (order !== 0) return order;
  }
  return 0;
}
