// The first matching lines of an order.
import type { Line } from './line-reads.ts';
import type { LineSources } from './line-sources.ts';
import type { OpenSegment } from './open-segment.ts';
import { isBefore, type Rank } from './order.ts';
import { type ScanOptions, SegmentScan } from './segment-scan.ts';

/** Lines that are tested between two looks at the clock. */
const TESTED_AT_ONCE = 64;

/** A line before the names of its source are known. */
export type FoundLine = Omit<Line, 'source' | 'host'>;

interface Hit {
  readonly rank: Rank;
  readonly line: FoundLine;
}

/** The first lines of an order. */
export interface FirstLines {
  readonly lines: Line[];
  /** There are more lines behind them. */
  readonly hasMore: boolean;
  /** Rank up to which, not included, all lines were found; undefined where the search came to its end. */
  readonly stoppedAt: Rank | undefined;
  readonly scanned: number;
}

/** Finds the first `limit` lines of a scan's order. */
export async function firstLines(options: ScanOptions, limit: number): Promise<FirstLines> {
  const scan = await SegmentScan.start(options);
  // One more tells whether there are more.
  const best = new BestLines(limit + 1);
  for (;;) {
    const { frontier } = scan;
    if (frontier === undefined || best.isFullBefore(frontier)) break;
    const open = await scan.next();
    if (open === undefined) break;
    const stoppedAt = await search(open, best, options);
    if (stoppedAt === undefined) continue;
    scan.putBack(open, stoppedAt);
    scan.stopped = true;
    break;
  }
  const stoppedAt = scan.stopped && !best.isFullBefore(scan.frontier) ? scan.frontier : undefined;
  const sure = best.hits.filter(({ rank }) => stoppedAt === undefined || isBefore(rank, stoppedAt));
  const lines = sure.slice(0, limit).map(({ line }) => line);
  return {
    lines: await withSources(scan.sources, lines),
    hasMore: sure.length > limit,
    stoppedAt: sure.length > limit ? undefined : stoppedAt,
    scanned: scan.scanned,
  };
}

/** Searches a segment; returns the rank of the first line that was not tested where the budget ended before. */
async function search(open: OpenSegment, best: BestLines, { budget }: ScanOptions): Promise<Rank | undefined> {
  const places = await open.candidates();
  if (places.length === 0) return undefined;
  await open.loadTexts();
  for (const [i, place] of places.entries()) {
    const rank = open.rank(place);
    if (best.isFullBefore(rank)) return undefined;
    if (i > 0 && i % TESTED_AT_ONCE === 0 && budget.isOver) return rank;
    const line = open.matches(place) ? open.line(place) : undefined;
    if (line !== undefined) best.add({ rank, line });
  }
  return undefined;
}

/** Adds the names of sources. */
export async function withSources(sources: LineSources, lines: readonly FoundLine[]): Promise<Line[]> {
  await sources.load(lines.map(({ src }) => src));
  return lines.map((line) => {
    const { host = '' } = sources.get(line.src, Number(line.id)) ?? {};
    return { ...line, source: host, host };
  });
}

/** The best hits so far, in order. */
class BestLines {
  readonly #max: number;
  readonly hits: Hit[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** Reports whether no line from a rank on can be among them. */
  isFullBefore(rank: Rank | undefined): boolean {
    const last = this.hits.length < this.#max ? undefined : this.hits.at(-1);
    return last !== undefined && (rank === undefined || isBefore(last.rank, rank));
  }

  add(hit: Hit): void {
    const at = this.hits.findLastIndex(({ rank }) => isBefore(rank, hit.rank));
    this.hits.splice(at + 1, 0, hit);
    if (this.hits.length > this.#max) this.hits.pop();
  }
}
