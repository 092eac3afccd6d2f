// Sums over matching lines: by time, and by group.
import type { GroupSummary } from '../segments/segment.ts';
import type { Limit } from './budget.ts';
import type { HistogramSpan, LineHistogram, MatchedGroup } from './line-reads.ts';
import type { OpenSegment } from './open-segment.ts';
import { type ScanOptions, SegmentScan } from './segment-scan.ts';

/** Lines that are tested between two looks at the clock. */
const TESTED_AT_ONCE = 64;
const LEVEL_COUNT = 9;

/** Takes what matches. */
interface Tally {
  /** Takes a group of which all lines match, by its summary; returns false where it needs each line. */
  addGroup(group: GroupSummary, open: OpenSegment): boolean;
  /** Takes a matching line. */
  addLine(group: GroupSummary, place: number, open: OpenSegment): void;
  /** Takes a segment before its groups and lines. */
  addSegment?(open: OpenSegment, scan: SegmentScan): Promise<void>;
  /** Takes all lines of a segment, in place of its groups, where all match. */
  addAll?(open: OpenSegment): void;
  /** Ends a segment, or the part of it that the budget allowed. */
  endSegment?(open: OpenSegment): void;
}

/** Counts all matches of a scan. Returns false where the budget was over before its end. */
export async function tally(options: ScanOptions, to: Tally): Promise<boolean> {
  const scan = await SegmentScan.start(options);
  for (let open = await scan.next(); open !== undefined; open = await scan.next()) {
    try {
      await to.addSegment?.(open, scan);
    } catch (error) {
      open.noteDamage(error);
      continue;
    }
    let isOver = false;
    if (open.decisions.areAll(true) && to.addAll !== undefined) to.addAll(open);
    else isOver = await tallyParts(open, to, options.budget);
    try {
      to.endSegment?.(open);
    } catch (error) {
      open.noteDamage(error);
    }
    if (isOver) return false;
  }
  return scan.frontier === undefined;
}

/** Counts the groups and lines of a segment that match. Returns whether the budget was over before its end. */
async function tallyParts(open: OpenSegment, to: Tally, budget: Limit): Promise<boolean> {
  const counted = new Set<GroupSummary>();
  for (const group of open.matchedGroups()) if (to.addGroup(group, open)) counted.add(group);
  const isDone = counted.size === 0 ? undefined : (group: GroupSummary) => counted.has(group);
  const places = await open.candidates('as stored', isDone);
  for (let i = 0; i < places.length; i += 1) {
    if (i % TESTED_AT_ONCE === 0 && budget.isOver) return true;
    const place = places[i] as number;
    if (open.matches(place)) to.addLine(open.groupAt(place), place, open);
  }
  return false;
}

/** Occurrences by time and level. The plan must have the times of the span. */
export async function countByTime(options: ScanOptions, span: HistogramSpan): Promise<LineHistogram> {
  const { start, end, step } = span;
  const buckets = Array.from({ length: Math.max(0, Math.ceil((end - start) / step)) }, (_, i) => ({
    time: start + i * step,
    count: 0,
    levels: Array.from({ length: LEVEL_COUNT }, () => 0),
  }));
  const bucketOf = (time: number) => Math.floor((time - start) / step);
  const add = (time: number, level: number, count: number) => {
    const bucket = buckets[bucketOf(time)];
    if (bucket === undefined) return;
    bucket.count += count;
    bucket.levels[level] = (bucket.levels[level] ?? 0) + count;
  };
  const complete = await tally(options, {
    addGroup({ from, to, level, count }) {
      if (bucketOf(from) !== bucketOf(to)) return false;
      add(from, level, count);
      return true;
    },
    addLine({ level }, place, { reader: { numbers } }) {
      add(numbers.time[place] as number, level, numbers.count[place] as number);
    },
  });
  return { start, end, step, buckets, complete };
}

/** The groups that have a matching line, the last to match first. */
export async function countByGroup(
  options: ScanOptions,
  max: number,
): Promise<{ groups: MatchedGroup[]; complete: boolean }> {
  const groups = new Map<number, { id: number; count: number; last: number }>();
  let isFull = false;
  const add = (id: number, count: number, time: number) => {
    const known = groups.get(id);
    if (known !== undefined) {
      known.count += count;
      known.last = Math.max(known.last, time);
    } else if (groups.size < max) groups.set(id, { id, count, last: time });
    else isFull = true;
  };
  const complete = await tally(options, {
    addGroup({ id, count, to }) {
      add(id, count, to);
      return true;
    },
    addLine({ id }, place, { reader: { numbers } }) {
      add(id, numbers.count[place] as number, numbers.time[place] as number);
    },
  });
  const sorted = [...groups.values()].sort((a, b) => b.last - a.last || b.id - a.id);
  return { groups: sorted, complete: complete && !isFull };
}

/** Ids of the groups that have a matching line. Lines of groups that were found are not read. */
export async function findGroupIds(
  options: ScanOptions,
  max: number,
): Promise<{ readonly ids: number[]; readonly complete: boolean }> {
  const ids = new Set<number>();
  const scan = await SegmentScan.start(options);
  const toAnswer = (complete: boolean) => ({ ids: [...ids].slice(0, max), complete: complete && ids.size <= max });
  for (let open = await scan.next(); open !== undefined && ids.size <= max; open = await scan.next()) {
    for (const { id } of open.matchedGroups()) ids.add(id);
    const places = await open.candidates('as stored', ({ id }) => ids.has(id));
    for (let i = 0; i < places.length && ids.size <= max; i += 1) {
      if (i % TESTED_AT_ONCE === 0 && options.budget.isOver) return toAnswer(false);
      const place = places[i] as number;
      const { id } = open.groupAt(place);
      if (!ids.has(id) && open.matches(place)) ids.add(id);
    }
  }
  return toAnswer(scan.frontier === undefined);
}
