// The newest matching line of each of a few groups.

import { type FoundLine, withSources } from './first-lines.ts';
import type { Line } from './line-reads.ts';
import { isBefore, type Rank } from './order.ts';
import { type ScanOptions, SegmentScan } from './segment-scan.ts';

/** Returns the newest lines, by group. The scan is by falling time, of these groups alone. */
export async function newestOf(options: ScanOptions, groups: readonly number[]): Promise<Map<number, Line>> {
  const scan = await SegmentScan.start(options);
  const best = new Map<number, { readonly rank: Rank; readonly line: FoundLine }>();
  const isSettled = (id: number, rank: Rank | undefined) => {
    const known = best.get(id);
    return known !== undefined && (rank === undefined || isBefore(known.rank, rank));
  };
  while (!groups.every((id) => isSettled(id, scan.frontier))) {
    const open = await scan.next();
    if (open === undefined) break;
    const places = await open.candidates('in order', (group) => isSettled(group.id, scan.firstOf(open)));
    const seen = new Set<number>();
    for (const place of places) {
      const { id } = open.groupAt(place);
      const rank = open.rank(place);
      if (seen.has(id) || isSettled(id, rank) || !open.matches(place)) continue;
      await open.loadTexts();
      const line = open.line(place);
      if (line === undefined) continue;
      seen.add(id);
      best.set(id, { rank, line });
    }
  }
  const lines = await withSources(
    scan.sources,
    [...best.values()].map(({ line }) => line),
  );
  return new Map(lines.map((line) => [line.group, line]));
}
