// Turns chunks of version 0.1 into segments.
import { encodeSegment, type GroupLines, SEGMENT_BYTES, SEGMENT_LINES, type SegmentLine } from '../segments/segment.ts';
import { unpackOccurrences } from '../tables/occurrence-chunk.ts';
import type { StoredSegment } from '../tables/segment-rows.ts';

/** A chunk with what its group says. */
export interface OldChunk {
  readonly id: number;
  readonly errlog_id: number;
  readonly from_time: number;
  readonly to_time: number;
  readonly data: string;
  readonly level: number;
  readonly src: number;
  readonly app_id: number;
  readonly service: string;
}

/** Chunks in the order of arrival. */
export interface OldLines {
  readonly chunks: readonly OldChunk[];
  /** Id of their first line. */
  readonly firstId: number;
  /** Today, counted in days from 1970: no line arrived later. */
  readonly today: number;
}

const DAY_S = 86_400;

/** Packs the lines of chunks. Their ids have no gaps. The day of the latest line stands for the day of arrival. */
export function segmentsOfChunks({ chunks, firstId, today }: OldLines): StoredSegment[] {
  const segments: StoredSegment[] = [];
  let builder = new ChunkSegment(0);
  let id = firstId;
  for (const chunk of chunks) {
    const day = Math.min(today, Math.floor(chunk.to_time / DAY_S));
    if (day > builder.day) builder = closed(builder, segments, day);
    for (const { time, count, reqId, log, fields } of unpackOccurrences(chunk.data, chunk.from_time)) {
      if (builder.isFull) builder = closed(builder, segments, builder.day);
      builder.add(chunk, { id, time, count, reqId, log, fields });
      id += 1;
    }
  }
  closed(builder, segments, 0);
  return segments;
}

function closed(builder: ChunkSegment, segments: StoredSegment[], nextDay: number): ChunkSegment {
  if (builder.lines > 0) segments.push(builder.encode());
  return new ChunkSegment(nextDay);
}

/** Collects the lines of one segment. */
class ChunkSegment {
  readonly day: number;
  readonly #groups = new Map<number, GroupLines & { readonly lines: SegmentLine[] }>();
  #bytes = 0;
  lines = 0;

  constructor(day: number) {
    this.day = day;
  }

  get isFull(): boolean {
    return this.lines >= SEGMENT_LINES || this.#bytes >= SEGMENT_BYTES;
  }

  add({ errlog_id: id, level, src, app_id: appId, service }: OldChunk, line: SegmentLine): void {
    let group = this.#groups.get(id);
    if (group === undefined) {
      group = { group: { id, level, src, appId, service }, lines: [] };
      this.#groups.set(id, group);
    }
    group.lines.push(line);
    this.lines += 1;
    this.#bytes += Buffer.byteLength(line.log);
  }

  encode(): StoredSegment {
    return { ...encodeSegment([...this.#groups.values()], 'packed'), day: this.day, packed: 1 };
  }
}
