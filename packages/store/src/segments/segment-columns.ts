// The content of a segment as columns, the form in which segments are written and merged.
import { compress } from './damage.ts';
import type { ExtrasBuilder } from './extras.ts';
import { encodeFilter } from './gram-filter.ts';
import { bytesOf, joinSections } from './sections.ts';
import type { GroupSummary, SegmentHead, SegmentKind, SegmentRow } from './segment.ts';
import { BLOCK_BYTES, encodeTemplates } from './template-writer.ts';

/** Lines as columns. A place is an index in the order of the texts: by group, then by arrival. */
export interface SegmentColumns {
  /** Sorted by id. */
  readonly groups: readonly GroupSummary[];
  /** Texts in UTF-8, one after the other, by place. */
  readonly texts: Uint8Array;
  /** Bytes of each text, by place. */
  readonly lengths: Uint32Array;
  /** In the order of arrival: indexes of the groups, ids that rise, Unix seconds, numbers of equal lines. */
  readonly ordinals: Uint16Array;
  readonly ids: Float64Array;
  readonly times: Float64Array;
  readonly counts: Uint32Array;
}

/** Levels of compression: a fresh segment is written while a sender waits. */
const LEVELS: Record<SegmentKind, number> = { fresh: 1, packed: 5 };

const NOTHING = new Uint8Array(0);

/** Encodes at least one line that waits to be packed. `encodeExtras` encodes its values at a level of compression. */
export function encodeFresh(columns: SegmentColumns, encodeExtras: (level: number) => Uint8Array): SegmentRow {
  const { groups, texts, lengths } = columns;
  const head = headOf(columns);
  return {
    ...head,
    groups: compress(encodeGroups(groups, head), LEVELS.fresh),
    filter: NOTHING,
    numbers: joinSections([encodeNumbers(columns, head, 'fresh'), encodeExtras(LEVELS.fresh)]),
    texts: encodeTexts(texts, lengths),
  };
}

/** Encodes at least one line as they are kept. */
export function encodePacked(columns: SegmentColumns, extras: ExtrasBuilder): SegmentRow {
  const { groups, texts, lengths } = columns;
  const head = headOf(columns);
  const encoded = encodeTemplates(texts, lengths, LEVELS.packed);
  return {
    ...head,
    groups: compress(encodeGroups(groups, head), LEVELS.packed),
    filter: encodeFilter((filter) => {
      filter.addTexts(texts, encoded.parts);
      for (const [name, list] of extras.columns()) filter.addValues(name, list);
    }),
    numbers: joinSections([
      encodeNumbers(columns, head, 'packed'),
      extras.encode(head.n, LEVELS.packed, arrivalOf(columns)),
    ]),
    texts: encoded.texts,
  };
}

function headOf({ texts, ids, times }: SegmentColumns): SegmentHead {
  let [from, to] = [Number.POSITIVE_INFINITY, 0];
  for (let i = 0; i < times.length; i += 1) {
    from = Math.min(from, times[i] as number);
    to = Math.max(to, times[i] as number);
  }
  return {
    id: ids[0] ?? 0,
    last_id: ids.at(-1) ?? 0,
    n: ids.length,
    from_time: from,
    to_time: to,
    bytes: texts.length,
  };
}

/**
 * Numbers of a segment that stay the same for as long as it exists, stored a second time beside its groups. Its ids are
 * not among them: a batch takes them as it is stored.
 */
export const invariantsOf = ({ id, last_id, n, from_time, to_time, bytes }: SegmentHead): readonly number[] => [
  last_id - id,
  n,
  from_time,
  to_time,
  bytes,
];

function encodeGroups(groups: readonly GroupSummary[], head: SegmentHead): Buffer {
  const { from_time: from } = head;
  const services = [...new Set(groups.map(({ service }) => service))];
  const places = new Map(services.map((service, i) => [service, i]));
  const { length: n } = groups;
  const column = (numbers: Uint16Array | Uint32Array | Float64Array, numberOf: (group: GroupSummary) => number) => {
    for (let i = 0; i < n; i += 1) numbers[i] = numberOf(groups[i] as GroupSummary);
    return bytesOf(numbers);
  };
  return joinSections([
    column(new Float64Array(n), ({ id }) => id),
    Uint8Array.from(groups, ({ level }) => level),
    column(new Uint32Array(n), ({ src }) => src),
    column(new Uint32Array(n), ({ appId }) => appId),
    column(new Uint16Array(n), ({ service }) => places.get(service) ?? 0),
    Buffer.from(JSON.stringify(services)),
    column(new Uint32Array(n), (group) => group.n),
    column(new Float64Array(n), ({ count }) => count),
    column(new Uint32Array(n), (group) => group.from - from),
    column(new Uint32Array(n), (group) => group.to - from),
    bytesOf(Float64Array.from(invariantsOf(head))),
  ]);
}

function encodeNumbers(columns: SegmentColumns, { from_time: from }: SegmentHead, kind: SegmentKind): Uint8Array {
  const { ordinals, ids, times, counts, lengths } = columns;
  const first = ids[0] ?? 0;
  const isWhole = (ids.at(-1) ?? 0) - first + 1 === ids.length;
  const numbers = joinSections([
    bytesOf(ordinals),
    isWhole ? NOTHING : bytesOf(stepsFrom(ids, first)),
    bytesOf(differences(stepsFrom(times, from))),
    counts.every((count) => count === 1) ? NOTHING : bytesOf(counts),
    // Texts by template tell their lengths.
    kind === 'fresh' ? bytesOf(lengths) : NOTHING,
  ]);
  return compress(numbers, LEVELS[kind]);
}

/** Places in the order of arrival. */
export function arrivalOf({ groups, ordinals }: Pick<SegmentColumns, 'groups' | 'ordinals'>): Uint32Array {
  const next = new Uint32Array(groups.length);
  for (let i = 1; i < next.length; i += 1) next[i] = (next[i - 1] as number) + (groups[i - 1]?.n ?? 0);
  const places = new Uint32Array(ordinals.length);
  for (let i = 0; i < places.length; i += 1) {
    const group = ordinals[i] as number;
    places[i] = next[group] as number;
    next[group] = (next[group] as number) + 1;
  }
  return places;
}

/** Differences of the numbers to `least`. */
function stepsFrom(numbers: Float64Array, least: number): Uint32Array {
  const steps = new Uint32Array(numbers.length);
  for (let i = 0; i < numbers.length; i += 1) steps[i] = (numbers[i] as number) - least;
  return steps;
}

const differences = (numbers: Uint32Array): Uint32Array =>
  numbers.map((number, i) => number - (i === 0 ? 0 : (numbers[i - 1] ?? 0)));

function encodeTexts(texts: Uint8Array, lengths: Uint32Array): Buffer {
  const blocks: Uint8Array[] = [];
  const sizes: number[] = [];
  let [from, to, first] = [0, 0, 0];
  const close = (line: number) => {
    blocks.push(compress(texts.subarray(from, to), LEVELS.fresh));
    sizes.push(line - first);
    [from, first] = [to, line];
  };
  for (let line = 0; line < lengths.length; line += 1) {
    const length = lengths[line] as number;
    if (to - from + length > BLOCK_BYTES && line > first) close(line);
    to += length;
  }
  close(lengths.length);
  return joinSections([bytesOf(Uint32Array.from(sizes)), ...blocks]);
}
