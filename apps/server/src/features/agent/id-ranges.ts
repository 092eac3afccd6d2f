/** Ids as short as can be, in order: `1-5,9`. */
export function idRanges(ids: readonly number[]): string {
  const runs: { from: number; to: number }[] = [];
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && id <= last.to + 1) last.to = id;
    else runs.push({ from: id, to: id });
  }
  return runs.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}
