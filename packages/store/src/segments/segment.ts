// Segments: lines that arrived one after the other, packed together (decision 033).
//
// Lines are sorted by group, which makes texts of one kind neighbours, and then by arrival. A segment has four parts,
// each of which can be read alone: its groups, a filter of its texts, numbers of each line, and the texts in blocks.
import type { LineFields } from '@quarterdeck/core/lines';
import { ExtrasBuilder } from './extras.ts';
import { encodeFresh, encodePacked, type SegmentColumns } from './segment-columns.ts';

/** Most lines of a segment: a line's group has a place of 16 bits. */
export const SEGMENT_LINES = 65_536;
/** Bytes of text from which a segment takes no more lines. */
export const SEGMENT_BYTES = 8 * 1024 * 1024;

/** A stored line without what its group says. */
export interface SegmentLine {
  /** Number of the line in the order of arrival, unique in the database. */
  readonly id: number;
  /** Unix seconds. */
  readonly time: number;
  /** Number of equal lines that it stands for. */
  readonly count: number;
  /** `''` = none. */
  readonly reqId: string;
  readonly log: string;
  /** Parts that cannot be read from the text. */
  readonly fields?: LineFields | undefined;
}

/** Attributes that all lines of a group share. They never change. */
export interface SegmentGroup {
  /** Id of the group. */
  readonly id: number;
  readonly level: number;
  readonly src: number;
  readonly appId: number;
  readonly service: string;
}

/** Lines of one group in the order of arrival. */
export interface GroupLines {
  readonly group: SegmentGroup;
  readonly lines: readonly SegmentLine[];
}

/** A group in a segment. */
export interface GroupSummary extends SegmentGroup {
  /** Number of its lines, and the sum of their counts. */
  readonly n: number;
  readonly count: number;
  /** Unix seconds of its earliest and of its latest line. */
  readonly from: number;
  readonly to: number;
}

/** Numbers of a segment, in columns of its row. Times are Unix seconds. */
export interface SegmentHead {
  /** Ids of its first and of its last line. */
  readonly id: number;
  readonly last_id: number;
  readonly n: number;
  readonly from_time: number;
  readonly to_time: number;
  /** Bytes of its texts. */
  readonly bytes: number;
}

/** A segment as a row. */
export interface SegmentRow extends SegmentHead {
  readonly groups: Uint8Array;
  /** Empty in a segment that waits to be packed. */
  readonly filter: Uint8Array;
  readonly numbers: Uint8Array;
  readonly texts: Uint8Array;
}

/** Stage of a segment: `fresh` is written before its lines are answered, `packed` is kept. */
export type SegmentKind = 'fresh' | 'packed';

/** Packs lines, at least one. */
export function encodeSegment(content: readonly GroupLines[], kind: SegmentKind): SegmentRow {
  const sorted = [...content].sort((a, b) => a.group.id - b.group.id);
  const lines = sorted.flatMap((part) => part.lines);
  const { length: n } = lines;
  const groupOf = new Uint16Array(n);
  let first = 0;
  for (const [i, part] of sorted.entries()) {
    groupOf.fill(i, first, first + part.lines.length);
    first += part.lines.length;
  }
  const lengths = new Uint32Array(n);
  const texts = textsOf(lines, lengths);
  const columns: SegmentColumns = {
    groups: sorted.map(summaryOf),
    texts,
    lengths,
    ordinals: new Uint16Array(n),
    ids: new Float64Array(n),
    times: new Float64Array(n),
    counts: new Uint32Array(n),
  };
  const places = arrivalOrder(lines);
  for (let i = 0; i < n; i += 1) {
    const place = places[i] as number;
    const { id, time, count } = lines[place] as SegmentLine;
    columns.ordinals[i] = groupOf[place] as number;
    columns.ids[i] = id;
    columns.times[i] = time;
    columns.counts[i] = count;
  }
  const extras = extrasOf(lines);
  return kind === 'packed' ? encodePacked(columns, extras) : encodeFresh(columns, (level) => extras.encode(n, level));
}

function summaryOf({ group, lines }: GroupLines): GroupSummary {
  const { id, level, src, appId, service } = group;
  let [count, from, to] = [0, Number.POSITIVE_INFINITY, 0];
  for (const line of lines) {
    count += line.count;
    from = Math.min(from, line.time);
    to = Math.max(to, line.time);
  }
  return { id, level, src, appId, service, n: lines.length, count, from, to };
}

/** The texts in UTF-8, one after the other. Sets their lengths. Joined first, they would be a string of megabytes. */
function textsOf(lines: readonly SegmentLine[], lengths: Uint32Array): Buffer {
  let size = 0;
  for (let i = 0; i < lines.length; i += 1) {
    const length = Buffer.byteLength((lines[i] as SegmentLine).log);
    lengths[i] = length;
    size += length;
  }
  const texts = Buffer.allocUnsafe(size);
  let at = 0;
  for (const { log } of lines) at += texts.write(log, at);
  return texts;
}

/** Places of the lines in the order of arrival. */
function arrivalOrder(lines: readonly SegmentLine[]): Uint32Array {
  const places = new Uint32Array(lines.length);
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const { id } of lines) {
    first = Math.min(first, id);
    last = Math.max(last, id);
  }
  const isWhole = last - first + 1 === lines.length;
  for (let place = 0; place < lines.length; place += 1)
    places[isWhole ? (lines[place] as SegmentLine).id - first : place] = place;
  return isWhole ? places : places.sort((a, b) => (lines[a]?.id ?? 0) - (lines[b]?.id ?? 0));
}

function extrasOf(lines: readonly SegmentLine[]): ExtrasBuilder {
  const extras = new ExtrasBuilder();
  for (let place = 0; place < lines.length; place += 1) {
    const { reqId, fields } = lines[place] as SegmentLine;
    if (reqId !== '') extras.addRequest(place, reqId);
    if (fields === undefined) continue;
    for (const name in fields) extras.addField(place, name, fields[name] ?? '');
  }
  return extras;
}
