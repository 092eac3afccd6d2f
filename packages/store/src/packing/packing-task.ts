// Work of the packing thread. A small task runs where it is.
import { mergeSegments } from '../segments/merge-segments.ts';
import { encodeSegment, type SegmentGroup, type SegmentLine } from '../segments/segment.ts';
import { SegmentReader } from '../segments/segment-reader.ts';
import type { StoredSegment } from '../tables/segment-rows.ts';

/**
 * Work for the packer: segments of one day to be merged, or a segment of which some lines are removed or put in other
 * groups.
 */
export type PackingTask =
  | { readonly kind: 'merge'; readonly segments: readonly StoredSegment[] }
  | { readonly kind: 'erase'; readonly segments: readonly [StoredSegment]; readonly places: ReadonlySet<number> }
  | { readonly kind: 'move'; readonly segments: readonly [StoredSegment]; readonly to: ReadonlyMap<number, number> };

export function runTask(task: PackingTask): StoredSegment[] {
  if (task.kind === 'erase') return withoutLines(task.segments[0], task.places);
  if (task.kind === 'move') return [withMovedLines(task.segments[0], task.to)];
  const day = task.segments[0]?.day ?? 0;
  return [{ ...mergeSegments(task.segments), day, packed: 1 }];
}

function withoutLines(segment: StoredSegment, places: ReadonlySet<number>): StoredSegment[] {
  let place = -1;
  const isKept = () => {
    place += 1;
    return !places.has(place);
  };
  const content = new SegmentReader(segment)
    .content()
    .map(({ group, lines }) => ({ group, lines: lines.filter(isKept) }))
    .filter(({ lines }) => lines.length > 0);
  if (content.length === 0) return [];
  const { day, packed } = segment;
  return [{ ...encodeSegment(content, packed === 1 ? 'packed' : 'fresh'), day, packed }];
}

/** `to` has the groups by the places of the moved lines. */
function withMovedLines(segment: StoredSegment, to: ReadonlyMap<number, number>): StoredSegment {
  const parts = new Map<number, { readonly group: SegmentGroup; readonly lines: SegmentLine[] }>();
  let place = -1;
  for (const { group, lines } of new SegmentReader(segment).content()) {
    for (const line of lines) {
      place += 1;
      const id = to.get(place) ?? group.id;
      const part = parts.get(id) ?? { group: { ...group, id }, lines: [] };
      part.lines.push(line);
      parts.set(id, part);
    }
  }
  for (const { lines } of parts.values()) lines.sort((a, b) => a.id - b.id);
  const { day, packed } = segment;
  return { ...encodeSegment([...parts.values()], packed === 1 ? 'packed' : 'fresh'), day, packed };
}

/** Buffers of segments that may be moved to another thread: those that belong to one value alone. */
export function transferable(segments: readonly StoredSegment[]): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const { groups, filter, numbers, texts } of segments) {
    for (const { buffer, byteLength } of [groups, filter, numbers, texts]) {
      if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffers.add(buffer);
    }
  }
  return [...buffers];
}
