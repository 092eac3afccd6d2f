// Segments: lines that arrived one after the other, packed together (decision 033).
//
// Lines are sorted by group, which makes texts of one kind neighbours, and then by arrival. A segment has four parts,
// each of which can be read alone: its groups, a filter of its texts, numbers of each line, and the texts in blocks.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { LineFields } from '@quarterdeck/core/lines';
import { GramFilterBuilder } from './gram-filter.ts';
import { bytesOf, joinSections, splitSections, toFloat64, toUint16, toUint32 } from './sections.ts';

/** Most lines of a segment: a line's group has a place of 16 bits. */
export const SEGMENT_LINES = 65_536;
/** Bytes of text from which a segment takes no more lines. */
export const SEGMENT_BYTES = 8 * 1024 * 1024;
/** Bytes of text in one block, the unit that is compressed and read. */
const BLOCK_BYTES = 512 * 1024;

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

/** A segment as a row. Times are Unix seconds. */
export interface SegmentRow {
  /** Ids of its first and of its last line. */
  readonly id: number;
  readonly last_id: number;
  readonly n: number;
  readonly from_time: number;
  readonly to_time: number;
  /** Bytes of its texts. */
  readonly bytes: number;
  readonly groups: Uint8Array;
  /** Empty in a segment that waits to be packed. */
  readonly filter: Uint8Array;
  readonly numbers: Uint8Array;
  readonly texts: Uint8Array;
}

/** Stage of a segment: `fresh` is written before its lines are answered, `packed` is kept. */
export type SegmentKind = 'fresh' | 'packed';

const LEVELS: Record<SegmentKind, number> = { fresh: 1, packed: 3 };

const compress = (bytes: Uint8Array, kind: SegmentKind): Uint8Array =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: LEVELS[kind] } });

/** Packs lines, at least one. `firstId` is added to their ids. */
export function encodeSegment(content: readonly GroupLines[], kind: SegmentKind, firstId = 0): SegmentRow {
  const sorted = [...content].sort((a, b) => a.group.id - b.group.id);
  const lines = sorted.flatMap((part) => part.lines);
  const places = arrivalOrder(lines);
  const lengths = Uint32Array.from(lines, ({ log }) => Buffer.byteLength(log));
  const texts = Buffer.from(lines.map(({ log }) => log).join(''));
  const times = Float64Array.from(lines, ({ time }) => time);
  const [from, to] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
  const [first, last] = [lines[places[0] ?? 0]?.id ?? 0, lines[places.at(-1) ?? 0]?.id ?? 0];
  return {
    id: firstId + first,
    last_id: firstId + last,
    n: lines.length,
    from_time: from,
    to_time: to,
    bytes: texts.length,
    groups: compress(encodeGroups(sorted, from), kind),
    filter: kind === 'packed' ? filterOf(lines, texts, lengths) : new Uint8Array(0),
    numbers: encodeNumbers(sorted, lines, { places, lengths, from, isWhole: last - first + 1 === lines.length }, kind),
    texts: encodeTexts(texts, lengths, kind),
  };
}

/** Places of the lines in the order of arrival. */
function arrivalOrder(lines: readonly SegmentLine[]): Uint32Array {
  const places = Uint32Array.from(lines.keys());
  return places.sort((a, b) => (lines[a]?.id ?? 0) - (lines[b]?.id ?? 0));
}

function encodeGroups(sorted: readonly GroupLines[], from: number): Buffer {
  const services = [...new Set(sorted.map(({ group }) => group.service))];
  const places = new Map(services.map((service, i) => [service, i]));
  const groups = sorted.map(({ group }) => group);
  const times = sorted.map(({ lines }) => lines.map(({ time }) => time - from));
  return joinSections([
    bytesOf(Float64Array.from(groups, ({ id }) => id)),
    Uint8Array.from(groups, ({ level }) => level),
    bytesOf(Uint32Array.from(groups, ({ src }) => src)),
    bytesOf(Uint32Array.from(groups, ({ appId }) => appId)),
    bytesOf(Uint16Array.from(groups, ({ service }) => places.get(service) ?? 0)),
    Buffer.from(JSON.stringify(services)),
    bytesOf(Uint32Array.from(sorted, ({ lines }) => lines.length)),
    bytesOf(Float64Array.from(sorted, ({ lines }) => lines.reduce((sum, { count }) => sum + count, 0))),
    bytesOf(Uint32Array.from(times, (list) => list.reduce((a, b) => Math.min(a, b)))),
    bytesOf(Uint32Array.from(times, (list) => list.reduce((a, b) => Math.max(a, b)))),
  ]);
}

function filterOf(lines: readonly SegmentLine[], texts: Uint8Array, lengths: Uint32Array): Buffer {
  const values = lines.flatMap(({ reqId, fields }) => [
    ...(reqId === '' ? [] : [['req', reqId] as const]),
    ...Object.entries(fields ?? {}),
  ]);
  const filter = new GramFilterBuilder(texts.length + values.length);
  filter.addTexts(texts, lengths);
  for (const [name, value] of values) filter.addValue(name, value);
  return filter.finish();
}

interface Layout {
  readonly places: Uint32Array;
  readonly lengths: Uint32Array;
  readonly from: number;
  /** No id between the first and the last is missing. */
  readonly isWhole: boolean;
}

const NOTHING = new Uint8Array(0);

function encodeNumbers(
  sorted: readonly GroupLines[],
  lines: readonly SegmentLine[],
  { places, lengths, from, isWhole }: Layout,
  kind: SegmentKind,
): Uint8Array {
  const ordinals = new Uint16Array(lines.length);
  let at = 0;
  for (const [i, part] of sorted.entries()) {
    ordinals.fill(i, at, at + part.lines.length);
    at += part.lines.length;
  }
  const arrived = (value: (line: SegmentLine) => number) =>
    Uint32Array.from(places, (place) => value(lines[place] as SegmentLine));
  const firstId = lines[places[0] ?? 0]?.id ?? 0;
  const numbers = joinSections([
    bytesOf(Uint16Array.from(places, (place) => ordinals[place] ?? 0)),
    isWhole ? NOTHING : bytesOf(arrived(({ id }) => id - firstId)),
    bytesOf(differences(arrived(({ time }) => time - from))),
    lines.every(({ count }) => count === 1) ? NOTHING : bytesOf(arrived(({ count }) => count)),
    bytesOf(lengths),
  ]);
  const hasExtras = lines.some(({ reqId, fields }) => reqId !== '' || fields !== undefined);
  const extras = hasExtras ? compress(Buffer.from(JSON.stringify(extrasOf(lines))), kind) : NOTHING;
  return joinSections([compress(numbers, kind), extras]);
}

/** Request ids, and the values of each field: 0 where a line lacks it. Each list ends with its last value. */
interface Extras {
  readonly requests: readonly (string | 0)[];
  readonly fields: readonly (readonly [name: string, ...values: (string | 0)[]])[];
}

function extrasOf(lines: readonly SegmentLine[]): Extras {
  const requests: (string | 0)[] = [];
  const fields = new Map<string, [string, ...(string | 0)[]]>();
  for (const [i, line] of lines.entries()) {
    if (line.reqId !== '') {
      while (requests.length < i) requests.push(0);
      requests.push(line.reqId);
    }
    if (line.fields === undefined) continue;
    for (const [name, value] of Object.entries(line.fields)) {
      let values = fields.get(name);
      if (values === undefined) {
        values = [name];
        fields.set(name, values);
      }
      while (values.length <= i) values.push(0);
      values.push(value);
    }
  }
  return { requests, fields: [...fields.values()] };
}

const differences = (numbers: Uint32Array): Uint32Array =>
  numbers.map((number, i) => number - (i === 0 ? 0 : (numbers[i - 1] ?? 0)));

function encodeTexts(texts: Uint8Array, lengths: Uint32Array, kind: SegmentKind): Buffer {
  const blocks: Uint8Array[] = [];
  const sizes: number[] = [];
  let [from, to, first] = [0, 0, 0];
  const close = (line: number) => {
    blocks.push(compress(texts.subarray(from, to), kind));
    sizes.push(line - first);
    [from, first] = [to, line];
  };
  for (const [line, length] of lengths.entries()) {
    if (to - from + length > BLOCK_BYTES && line > first) close(line);
    to += length;
  }
  close(lengths.length);
  return joinSections([bytesOf(Uint32Array.from(sizes)), ...blocks]);
}

/** The groups of a segment, sorted by id. */
export function readGroups({ groups, from_time: from }: Pick<SegmentRow, 'groups' | 'from_time'>): GroupSummary[] {
  const sections = splitSections(zstdDecompressSync(groups));
  const [ids, levels, sources, apps, places, names, n, counts, first, last] = sections as Uint8Array[] & { length: 10 };
  const services = JSON.parse(Buffer.from(names ?? NOTHING).toString()) as string[];
  const [idList, countList] = [toFloat64(ids ?? NOTHING), toFloat64(counts ?? NOTHING)];
  const [src, appId, size] = [toUint32(sources ?? NOTHING), toUint32(apps ?? NOTHING), toUint32(n ?? NOTHING)];
  const [firstTime, lastTime, place] = [
    toUint32(first ?? NOTHING),
    toUint32(last ?? NOTHING),
    toUint16(places ?? NOTHING),
  ];
  return Array.from(idList, (id, i) => ({
    id,
    level: levels?.[i] ?? 0,
    src: src[i] ?? 0,
    appId: appId[i] ?? 0,
    service: services[place[i] ?? 0] ?? '',
    n: size[i] ?? 0,
    count: countList[i] ?? 0,
    from: from + (firstTime[i] ?? 0),
    to: from + (lastTime[i] ?? 0),
  }));
}
