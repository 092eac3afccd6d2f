// Work of the packing thread. A small task runs where it is.
import { mergeSegments } from '../segments/merge-segments.ts';
import { type OldLines, segmentsOfChunks } from './old-chunks.ts';
import type { StoredSegment } from './segment-table.ts';

/** Segments of one day to be merged, or chunks of version 0.1 to become segments. */
export type PackingTask =
  | { readonly kind: 'merge'; readonly segments: readonly StoredSegment[] }
  | ({ readonly kind: 'chunks' } & OldLines);

export type PackingAnswer =
  | { readonly kind: 'packed'; readonly segments: StoredSegment[] }
  | { readonly kind: 'failed'; readonly error: unknown };

export function runTask(task: PackingTask): StoredSegment[] {
  if (task.kind === 'chunks') return segmentsOfChunks(task);
  const day = task.segments[0]?.day ?? 0;
  return [{ ...mergeSegments(task.segments), day, packed: 1 }];
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
