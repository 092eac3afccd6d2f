// Reads the lines of a segment, each part when it is first needed. A line is given by its place in the order of the
// texts: by group, then by arrival.
import { decompress, readPart, refuseDamage, type TakeDamage } from './damage.ts';
import { Extras } from './extras.ts';
import { copyBytes, splitSections, toFloat64, toUint16, toUint32 } from './sections.ts';
import type { GroupLines, GroupSummary, SegmentLine, SegmentRow } from './segment.ts';
import { SegmentGroups } from './segment-groups.ts';
import { startsOf } from './template-writer.ts';
import type { OpenTexts, TextBlock } from './text-block.ts';
import { readTexts, type SegmentTexts } from './texts.ts';

/** Room for the numbers of a line (a group, an id, a time, a count and a length), and for the lengths of the lists. */
const LINE_BYTES = 18;
const HEAD_BYTES = 64;
const NO_LENGTHS = new Uint32Array(0);

/** Numbers of each line, by place. */
export interface LineNumbers {
  /** Index of the line's group among those of the segment. */
  readonly group: Uint16Array;
  readonly id: Float64Array;
  /** Unix seconds. */
  readonly time: Float64Array;
  readonly count: Uint32Array;
  /** Places in the order of arrival. */
  readonly arrival: Uint32Array;
}

/** One segment that is read. Its methods throw DamagedPart for bytes that are not those that were written. */
export class SegmentReader {
  readonly row: SegmentRow;
  readonly #takeDamage: TakeDamage;
  #groups: SegmentGroups | undefined;
  #numbers: LineNumbers | undefined;
  #parts: Uint8Array[] | undefined;
  #lengths: Uint32Array = NO_LENGTHS;
  #texts: SegmentTexts | undefined;
  #extras: Extras | undefined;

  /** `takeDamage` takes damaged request ids and fields, which are missing then. */
  constructor(row: SegmentRow, takeDamage: TakeDamage = refuseDamage) {
    this.row = row;
    this.#takeDamage = takeDamage;
  }

  get groupList(): SegmentGroups {
    this.#groups ??= readPart(this.row.id, 'groups', () => new SegmentGroups(this.row));
    return this.#groups;
  }

  get groups(): readonly GroupSummary[] {
    return this.groupList.all();
  }

  get numbers(): LineNumbers {
    // The groups are read first: they are a part of their own.
    this.#numbers ??= this.groupList && readPart(this.row.id, 'numbers', () => this.#readNumbers());
    return this.#numbers;
  }

  /** The blocks of texts. Their own methods throw other errors than DamagedPart: see {@link SegmentReader.open}. */
  get blocks(): readonly TextBlock[] {
    return this.#allTexts.blocks;
  }

  get #allTexts(): SegmentTexts {
    this.#texts ??= readPart(this.row.id, 'texts', () => {
      const { texts, n, bytes } = this.row;
      return readTexts(texts, n, bytes, () => this.#textLengths);
    });
    return this.#texts;
  }

  /** Bytes of each text in a segment without templates. */
  get #textLengths(): Uint32Array {
    const { n } = this.row;
    if (this.numbers.group.length !== n || this.#lengths.length !== n)
      throw new RangeError('the lengths are not those of the lines');
    return this.#lengths;
  }

  /** The text of a line. */
  log(place: number): string {
    const block = this.blockAt(place);
    return readPart(this.row.id, 'texts', () => block.text(this.rowAt(place)));
  }

  /** The block of a line. */
  blockAt(place: number): TextBlock {
    const { blocks, blockOf } = this.#allTexts;
    const block = blocks[blockOf[place] ?? -1];
    if (block === undefined) throw new RangeError(`a segment has no line ${place}`);
    return block;
  }

  /** Index of a line in its block. */
  rowAt(place: number): number {
    return this.#allTexts.rowOf[place] as number;
  }

  /** Times of the first and of the last line of a block, Unix seconds. */
  spanOf({ places }: TextBlock): { readonly from: number; readonly to: number } {
    const times = Float64Array.from(places, (place) => this.numbers.time[place] as number);
    return { from: times.reduce((a, b) => Math.min(a, b)), to: times.reduce((a, b) => Math.max(a, b)) };
  }

  /** Decompresses a block, which stays open as long as the reader. */
  open(block: TextBlock): void {
    readPart(this.row.id, 'texts', () => block.open());
  }

  /** All texts by place. */
  texts(): OpenTexts {
    return readPart(this.row.id, 'texts', () => {
      const { n, bytes: size } = this.row;
      const lengths = new Uint32Array(n);
      const blocks = this.blocks.map((block) => ({ places: block.places, ...block.all() }));
      for (const { places, starts } of blocks) {
        for (let row = 0; row < places.length; row += 1)
          lengths[places[row] as number] = (starts[row + 1] as number) - (starts[row] as number);
      }
      const starts = startsOf(lengths);
      if (starts[n] !== size) throw new RangeError('the texts are not as long as they were');
      const bytes = Buffer.allocUnsafe(size);
      for (const block of blocks) copyTexts(block, bytes, starts);
      return { bytes, starts };
    });
  }

  reqId(place: number): string {
    return this.extras.reqId(place);
  }

  /** Fields of a line that its text does not have. */
  fields(place: number): Record<string, string> | undefined {
    return this.extras.fields(place);
  }

  line(place: number): SegmentLine {
    const { id, time, count } = this.numbers;
    return {
      id: id[place] ?? 0,
      time: time[place] ?? 0,
      count: count[place] ?? 1,
      reqId: this.reqId(place),
      log: this.log(place),
      fields: this.fields(place),
    };
  }

  /** All lines by group. */
  content(): GroupLines[] {
    let from = 0;
    return this.groups.map((group) => {
      const first = from;
      from += group.n;
      return { group, lines: Array.from({ length: group.n }, (_, i) => this.line(first + i)) };
    });
  }

  /** Request ids and fields of all lines, by place. */
  get extras(): Extras {
    this.#extras ??= new Extras(this.#part(1), this.row.id, this.#takeDamage, () => this.numbers.arrival);
    return this.#extras;
  }

  #part(index: number): Uint8Array {
    this.#parts ??= readPart(this.row.id, 'numbers', () => splitSections(this.row.numbers));
    return this.#parts[index] as Uint8Array;
  }

  #readNumbers(): LineNumbers {
    const { id: firstId, from_time: fromTime, n } = this.row;
    const [ordinals, ids, times, counts, lengths] = splitSections(
      decompress(this.#part(0), HEAD_BYTES + n * LINE_BYTES),
    ) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];
    const [ordinal, idList, countList] = [toUint16(ordinals), toUint32(ids), toUint32(counts)];
    const step = toUint32(times);
    this.#lengths = toUint32(lengths);
    if (ordinal.length !== n) throw new RangeError('the numbers are not those of the lines');
    const numbers: LineNumbers = {
      group: new Uint16Array(n),
      id: new Float64Array(n),
      time: new Float64Array(n),
      count: new Uint32Array(n).fill(1),
      arrival: new Uint32Array(n),
    };
    const { sizes } = this.groupList;
    const next = new Uint32Array(sizes.length);
    for (let i = 1; i < next.length; i += 1) next[i] = (next[i - 1] as number) + (sizes[i - 1] as number);
    let time = 0;
    for (let i = 0; i < n; i += 1) {
      const group = ordinal[i] as number;
      const place = next[group] as number;
      next[group] = place + 1;
      // Differences are stored without a sign: the sum is right again within 32 bits.
      time = (time + (step[i] as number)) >>> 0;
      numbers.arrival[i] = place;
      numbers.group[place] = group;
      numbers.id[place] = firstId + (idList[i] ?? i);
      numbers.time[place] = fromTime + time;
      if (countList.length > 0) numbers.count[place] = countList[i] as number;
    }
    return numbers;
  }
}

/** Copies the texts of a block to their places in all texts. */
function copyTexts(block: OpenTexts & Pick<TextBlock, 'places'>, to: Buffer, starts: Uint32Array): void {
  const { places, bytes, starts: own } = block;
  const [first, n] = [places[0] as number, places.length];
  // Places rise. Those of a fresh segment follow each other.
  if (places[n - 1] === first + n - 1) bytes.copy(to, starts[first], own[0], own[n]);
  else
    for (let row = 0; row < n; row += 1)
      copyBytes(bytes, own[row] as number, own[row + 1] as number, to, starts[places[row] as number] as number);
}

/** A segment of which only the groups are read. */
export type GroupsOfSegment = Pick<SegmentRow, 'id' | 'groups'>;

/** The ids of the groups of a segment. @throws DamagedPart */
export const idsOfGroups = ({ id, groups }: GroupsOfSegment): Float64Array =>
  readPart(id, 'groups', () => toFloat64(splitSections(decompress(groups))[0] ?? new Uint8Array(0)));

/** Tells whether a segment has lines of a group, or of one that `moved` says is a part of it. @throws DamagedPart */
export const hasGroup = (segment: GroupsOfSegment, id: number, moved: ReadonlyMap<number, number>): boolean =>
  idsOfGroups(segment).some((stored) => (moved.get(stored) ?? stored) === id);
