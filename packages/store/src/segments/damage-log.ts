// Damaged parts that a read met, and the times of the lines in them.
import { DamagedPart, type SegmentPart } from './damage.ts';

/** Times of lines that could not be read, Unix seconds, both included. */
export interface DamagedSpan {
  readonly from: number;
  readonly to: number;
}

/** Damaged parts of one segment. */
export interface DamagedSegment extends DamagedSpan {
  /** Id of the segment. */
  readonly id: number;
  readonly parts: readonly SegmentPart[];
}

/** Collects the damaged parts of one read. */
export class DamageLog {
  readonly #segments = new Map<number, { from: number; to: number; parts: Set<SegmentPart> }>();

  /** Notes a damaged part whose lines are from these times. @throws every other error again */
  note(error: unknown, { from, to }: DamagedSpan): void {
    if (!(error instanceof DamagedPart)) throw error;
    const { segment, part } = error;
    const known = this.#segments.get(segment);
    const parts = (known?.parts ?? new Set()).add(part);
    this.#segments.set(segment, {
      from: Math.min(from, known?.from ?? from),
      to: Math.max(to, known?.to ?? to),
      parts,
    });
  }

  get segments(): DamagedSegment[] {
    return Array.from(this.#segments, ([id, { from, to, parts }]) => ({ id, from, to, parts: [...parts] }));
  }

  /** Spans with lines that the answer lacks, joined where they overlap, the oldest first. */
  get spans(): DamagedSpan[] {
    const spans: { from: number; to: number }[] = [];
    for (const { from, to, parts } of this.segments.sort((a, b) => a.from - b.from)) {
      // Without its filter a segment is searched.
      if (parts.every((part) => part === 'filter')) continue;
      const last = spans.at(-1);
      if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
      else spans.push({ from, to });
    }
    return spans;
  }
}
