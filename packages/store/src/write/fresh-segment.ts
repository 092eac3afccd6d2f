// Writes the lines of a batch as a fresh segment.
import { joinExtras, jsonColumn, type Rare } from '../segments/extras.ts';
import { packArrived } from '../segments/field-column.ts';
import type { GroupSummary, SegmentGroup, SegmentRow } from '../segments/segment.ts';
import { arrivalOf, encodeFresh, type SegmentColumns } from '../segments/segment-columns.ts';
import { REQUEST, SPARSEST, valuesIn } from './line-columns.ts';
import type { NewLines, NewValues } from './new-lines.ts';

/** Lines of one group by their numbers, which rise. */
export interface NewGroup {
  readonly group: SegmentGroup;
  readonly lines: readonly number[];
}

/** Encodes the lines from a number on until before another: those of `content`, and at least one. */
export function encodeNewLines(lines: NewLines, content: readonly NewGroup[], from: number, to: number): SegmentRow {
  const sorted = content.toSorted((a, b) => a.group.id - b.group.id);
  const n = to - from;
  const groups: GroupSummary[] = [];
  const ordinals = new Uint16Array(n);
  const lengths = new Uint32Array(n);
  let [place, size] = [0, 0];
  for (const part of sorted) {
    const ordinal = groups.push(summaryOf(part, lines)) - 1;
    for (const number of part.lines) {
      ordinals[number - from] = ordinal;
      lengths[place] = lines.textBytes(number);
      size += lengths[place] as number;
      place += 1;
    }
  }
  const ids = new Float64Array(n);
  for (let i = 0; i < n; i += 1) ids[i] = from + i;
  const texts = Buffer.allocUnsafe(size);
  let at = 0;
  for (const part of sorted) for (const number of part.lines) at += lines.copyText(number, texts, at);
  const columns: SegmentColumns = {
    groups,
    texts,
    lengths,
    ordinals,
    ids,
    times: lines.times.subarray(from, to),
    counts: lines.counts.subarray(from, to),
  };
  return encodeFresh(columns, (level) => encodeValues(lines.values(from, to), columns, from, level));
}

function summaryOf({ group, lines: numbers }: NewGroup, { times, counts }: NewLines): GroupSummary {
  let [count, from, to] = [0, Number.POSITIVE_INFINITY, 0];
  for (const number of numbers) {
    count += counts[number] as number;
    from = Math.min(from, times[number] as number);
    to = Math.max(to, times[number] as number);
  }
  return { ...group, n: numbers.length, count, from, to };
}

const NOTHING = new Uint8Array(0);

/** Encodes values of lines that are numbered from `first` on. */
function encodeValues(
  values: ReadonlyMap<string, readonly NewValues[]>,
  columns: SegmentColumns,
  first: number,
  level: number,
): Uint8Array {
  if (values.size === 0) return NOTHING;
  const { length: n } = columns.ids;
  const arrival = arrivalOf(columns);
  const placesOf = ({ numbers }: NewValues) => Array.from(numbers, (number) => arrival[number - first] as number);
  const encode = (parts: readonly NewValues[]) => {
    if (parts.length > 0 && parts.every(({ list }) => !list.isJson)) {
      return packArrived(
        parts.map(({ numbers }) => numbers),
        parts.map(({ list }) => list.bytes),
        { first, n },
        level,
      );
    }
    return jsonColumn({ places: parts.flatMap(placesOf), values: parts.flatMap(({ list }) => valuesIn(list)) }, level);
  };
  const fields = new Map<string, ReturnType<typeof encode>>();
  const rare: Rare[number][] = [];
  for (const [name, parts] of values) {
    if (name === REQUEST) continue;
    const size = parts.reduce((sum, { numbers }) => sum + numbers.length, 0);
    if (size * SPARSEST >= n) fields.set(name, encode(parts));
    else for (const part of parts) addRare(rare, name, placesOf(part), valuesIn(part.list));
  }
  return joinExtras({ requests: encode(values.get(REQUEST) ?? []), fields, rare }, level);
}

function addRare(rare: Rare[number][], name: string, places: readonly number[], values: readonly string[]): void {
  for (const [i, place] of places.entries()) rare.push([place, name, values[i] as string]);
}
