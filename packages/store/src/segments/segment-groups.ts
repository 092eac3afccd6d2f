// Reads the groups of a segment.
import { decompress } from './damage.ts';
import { splitSections, toFloat64, toUint16, toUint32 } from './sections.ts';
import type { GroupSummary, SegmentHead, SegmentRow } from './segment.ts';
import { invariantsOf } from './segment-columns.ts';

/** A row with the groups of a segment. Where it has all numbers, they are compared. */
export type GroupsRow = Pick<SegmentRow, 'groups' | 'from_time'> & Partial<SegmentHead>;

/** The parts in their order; the last one is missing in segments of version 0.1. */
type Parts = [...Tuple<Uint8Array>, Uint8Array | undefined];
type Tuple<T> = [T, T, T, T, T, T, T, T, T, T];

/** Groups of a segment, sorted by id. One becomes an object when it is asked for: searches need few of thousands. */
export class SegmentGroups {
  readonly ids: Float64Array;
  /** Numbers of their lines. */
  readonly sizes: Uint32Array;
  readonly #levels: Uint8Array;
  readonly #sources: Uint32Array;
  readonly #apps: Uint32Array;
  readonly #services: readonly string[];
  readonly #serviceOf: Uint16Array;
  readonly #counts: Float64Array;
  /** Unix seconds of the first line of the segment, and by group the seconds from there. */
  readonly #from: number;
  readonly #first: Uint32Array;
  readonly #last: Uint32Array;
  readonly #read: (GroupSummary | undefined)[] = [];
  #all: readonly GroupSummary[] | undefined;

  /** @throws where bytes or numbers of the row are not those that were written */
  constructor(row: GroupsRow) {
    const sections = splitSections(decompress(row.groups));
    const [ids, levels, sources, apps, places, names, sizes, counts, first, last, stored] = sections as Parts;
    if (stored !== undefined && hasHead(row) && invariantsOf(row).join() !== toFloat64(stored).join())
      throw new RangeError('the numbers of the segment are not those that were written');
    this.#services = JSON.parse(Buffer.from(names).toString()) as string[];
    this.ids = toFloat64(ids);
    this.sizes = toUint32(sizes);
    this.#levels = levels;
    this.#sources = toUint32(sources);
    this.#apps = toUint32(apps);
    this.#serviceOf = toUint16(places);
    this.#counts = toFloat64(counts);
    this.#from = row.from_time;
    this.#first = toUint32(first);
    this.#last = toUint32(last);
  }

  at(i: number): GroupSummary {
    let group = this.#read[i];
    if (group === undefined) {
      group = this.#make(i);
      this.#read[i] = group;
    }
    return group;
  }

  all(): readonly GroupSummary[] {
    this.#all ??= Array.from(this.ids, (_, i) => this.at(i));
    return this.#all;
  }

  #make(i: number): GroupSummary {
    return {
      id: this.ids[i] ?? 0,
      level: this.#levels[i] ?? 0,
      src: this.#sources[i] ?? 0,
      appId: this.#apps[i] ?? 0,
      service: this.#services[this.#serviceOf[i] ?? 0] ?? '',
      n: this.sizes[i] ?? 0,
      count: this.#counts[i] ?? 0,
      from: this.#from + (this.#first[i] ?? 0),
      to: this.#from + (this.#last[i] ?? 0),
    };
  }
}

const hasHead = (row: GroupsRow): row is GroupsRow & SegmentHead =>
  row.id !== undefined &&
  row.last_id !== undefined &&
  row.n !== undefined &&
  row.to_time !== undefined &&
  row.bytes !== undefined;
