// Merges segments that follow each other into one, column by column: no line becomes an object, and no text a string.
import { ExtrasBuilder } from './extras.ts';
import type { GroupSummary, SegmentRow } from './segment.ts';
import { encodePacked, type SegmentColumns } from './segment-columns.ts';
import { SegmentReader } from './segment-reader.ts';
import type { OpenTexts } from './text-block.ts';

/** Lines of one group in one of the segments: neighbours in it and in the result. */
interface Run {
  /** Index of the segment. */
  readonly segment: number;
  /** Index of the group in the segment. */
  readonly ordinal: number;
  readonly group: GroupSummary;
  /** Place of its first line in the segment. */
  readonly from: number;
}

/** For each group of a segment: its index in the result, and the difference of its places. */
interface Moves {
  readonly ordinals: Uint16Array;
  readonly shifts: Int32Array;
}

/** Merges segments in the order of their ids into a packed one. They have at most 65,536 lines together. */
export function mergeSegments(rows: readonly SegmentRow[]): SegmentRow {
  const readers = rows.map((row) => new SegmentReader(row));
  const runs = runsOf(readers);
  const { groups, moves } = joinGroups(readers, runs);
  const columns: SegmentColumns = {
    groups,
    ...joinTexts(readers, runs),
    ...joinArrivals(readers, moves),
  };
  return encodePacked(columns, joinExtras(readers, moves));
}

/** The runs in the order of the result: by group, then by arrival. */
function runsOf(readers: readonly SegmentReader[]): Run[] {
  const runs: Run[] = [];
  for (const [segment, reader] of readers.entries()) {
    let from = 0;
    for (const [ordinal, group] of reader.groups.entries()) {
      runs.push({ segment, ordinal, group, from });
      from += group.n;
    }
  }
  return runs.sort((a, b) => a.group.id - b.group.id || a.segment - b.segment);
}

function joinGroups(readers: readonly SegmentReader[], runs: readonly Run[]) {
  const groups: GroupSummary[] = [];
  const moves: Moves[] = readers.map((reader) => ({
    ordinals: new Uint16Array(reader.groups.length),
    shifts: new Int32Array(reader.groups.length),
  }));
  let to = 0;
  for (const { segment, ordinal, group, from } of runs) {
    const last = groups.at(-1);
    if (last?.id === group.id) groups[groups.length - 1] = joinGroup(last, group);
    else groups.push(group);
    const move = moves[segment] as Moves;
    move.ordinals[ordinal] = groups.length - 1;
    move.shifts[ordinal] = to - from;
    to += group.n;
  }
  return { groups, moves };
}

/** The later one says what the group is: its service may not have been known before. */
const joinGroup = (earlier: GroupSummary, later: GroupSummary): GroupSummary => ({
  ...later,
  n: earlier.n + later.n,
  count: earlier.count + later.count,
  from: Math.min(earlier.from, later.from),
  to: Math.max(earlier.to, later.to),
});

const linesOf = (readers: readonly SegmentReader[]): number => readers.reduce((sum, { row }) => sum + row.n, 0);

function joinTexts(readers: readonly SegmentReader[], runs: readonly Run[]) {
  const sources = readers.map((reader) => reader.texts());
  const texts = Buffer.allocUnsafe(sources.reduce((sum, { bytes }) => sum + bytes.length, 0));
  const lengths = new Uint32Array(linesOf(readers));
  let [place, at] = [0, 0];
  for (const { segment, group, from } of runs) {
    const { bytes, starts } = sources[segment] as OpenTexts;
    const to = from + group.n;
    for (let i = from; i < to; i += 1) {
      lengths[place] = (starts[i + 1] as number) - (starts[i] as number);
      place += 1;
    }
    at += bytes.copy(texts, at, starts[from], starts[to]);
  }
  return { texts, lengths };
}

function joinArrivals(readers: readonly SegmentReader[], moves: readonly Moves[]) {
  const n = linesOf(readers);
  const arrivals = {
    ordinals: new Uint16Array(n),
    ids: new Float64Array(n),
    times: new Float64Array(n),
    counts: new Uint32Array(n),
  };
  let at = 0;
  for (const [segment, { numbers }] of readers.entries()) {
    const { ordinals } = moves[segment] as Moves;
    for (const place of numbers.arrival) {
      arrivals.ordinals[at] = ordinals[numbers.group[place] as number] as number;
      arrivals.ids[at] = numbers.id[place] as number;
      arrivals.times[at] = numbers.time[place] as number;
      arrivals.counts[at] = numbers.count[place] as number;
      at += 1;
    }
  }
  return arrivals;
}

function joinExtras(readers: readonly SegmentReader[], moves: readonly Moves[]): ExtrasBuilder {
  const builder = new ExtrasBuilder();
  for (const [segment, { extras, numbers }] of readers.entries()) {
    const { shifts } = moves[segment] as Moves;
    extras.copyTo(builder, (place) => place + (shifts[numbers.group[place] as number] as number));
  }
  return builder;
}
