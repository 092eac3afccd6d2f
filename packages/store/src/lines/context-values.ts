// Counts values of one field that nginx writes behind its messages, block by block. Lines of one template have the
// field at one place: its columns are counted, and the lines are not put together.
import type { Column, ValueList } from '../segments/column-reader.ts';
import { TemplateBlock } from '../segments/template-block.ts';
import type { OpenTexts, TextBlock } from '../segments/text-block.ts';
import { type ContextReader, LINE_MAX, UNSURE, VALUE_MAX } from './nginx-values.ts';
import type { ValueCounts } from './value-counts.ts';

/** Lines of a block of which a field is counted. */
interface Counting {
  readonly places: Uint32Array;
  /** By place: how often the value of a line counts. */
  readonly times: Float64Array;
  readonly counts: ValueCounts;
  /** Takes a place whose value only `nginxFields` can read. */
  readonly unsure: (place: number) => void;
}

/**
 * Counts the field in all lines of a block that count. Returns the places whose value only `nginxFields` can read.
 *
 * @throws before anything is counted, where the block is damaged
 */
export function countBlock(
  block: TextBlock,
  context: ContextReader,
  times: Float64Array,
  counts: ValueCounts,
): readonly number[] {
  const left: number[] = [];
  const counting = { places: block.places, times, counts, unsure: (place: number) => left.push(place) };
  if (block instanceof TemplateBlock) countTemplate(block, context, counting);
  else countTexts(block.all(), context, counting);
  return left;
}

/** Calls `count` with each line that counts; one for which it returns false is unsure. */
function forEachRow({ places, times, unsure }: Counting, count: (row: number, n: number) => boolean): void {
  for (let row = 0; row < places.length; row += 1) {
    const place = places[row] as number;
    const n = times[place] as number;
    if (n > 0 && !count(row, n)) unsure(place);
  }
}

function countTexts({ bytes, starts }: OpenTexts, context: ContextReader, counting: Counting): void {
  forEachRow(counting, (row, n) => {
    const from = context.read(bytes, starts[row] as number, starts[row + 1] as number);
    if (from >= 0) counting.counts.addBytes(bytes, from, context.valueEnd, n);
    return from !== UNSURE;
  });
}

/** Parts of a value: bytes that all lines have, and columns. */
type Part = Buffer | Column;

function countTemplate(block: TemplateBlock, context: ContextReader, counting: Counting): void {
  const parts = partsOfValue(block, context);
  if (parts === 'none') return;
  if (parts === 'unsure') {
    forEachRow(counting, () => false);
    return;
  }
  for (const part of parts) if (!Buffer.isBuffer(part)) part.open();
  const only = parts.length === 1 && !Buffer.isBuffer(parts[0]) ? parts[0] : undefined;
  if (only?.addresses !== undefined) countAddresses(only.addresses, counting);
  else if (only?.list !== undefined && only.indexes !== undefined) countWords(only.list, only.indexes, counting);
  else countParts(parts, counting);
}

function countParts(parts: readonly Part[], counting: Counting): void {
  const value = Buffer.alloc(VALUE_MAX);
  forEachRow(counting, (row, n) => {
    let end = 0;
    for (const part of parts) end = Buffer.isBuffer(part) ? end + part.copy(value, end) : part.write(row, value, end);
    if ((value[end - 1] as number) >= 0x80) return false;
    counting.counts.addBytes(value, 0, end, n);
    return true;
  });
}

function countAddresses(addresses: Float64Array, counting: Counting): void {
  forEachRow(counting, (row, n) => {
    counting.counts.addAddress(addresses[row] as number, n);
    return true;
  });
}

/** Counts a column whose different values are stored once each. */
function countWords({ bytes, starts }: ValueList, indexes: Uint16Array, counting: Counting): void {
  const sums = new Float64Array(starts.length - 1);
  const endOf = (index: number) => (starts[index + 1] as number) - 1;
  const isUnsure = Array.from(sums, (_, index) => (bytes[endOf(index) - 1] as number) >= 0x80);
  forEachRow(counting, (row, n) => {
    const index = indexes[row] as number;
    if (isUnsure[index]) return false;
    sums[index] = (sums[index] as number) + n;
    return true;
  });
  for (const [index, n] of sums.entries()) {
    if (n > 0) counting.counts.addBytes(bytes, starts[index] as number, endOf(index), n);
  }
}

/**
 * Finds the field in the lines of a template. Tokens have neither quotes nor commas nor colons, so it is at the same
 * place in all lines, unless a name is among the columns.
 */
function partsOfValue({ constants, columns }: TemplateBlock, context: ContextReader): Part[] | 'none' | 'unsure' {
  const hasName = columns.some((_, i) => /,.?$/s.test(constants[i] ?? '') && constants[i + 1]?.startsWith(':'));
  const constantBytes = constants.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (hasName || constantBytes + longestOf(columns) > LINE_MAX) return 'unsure';
  // One letter stands for each column.
  const line = Buffer.from(constants.join(PLACEHOLDER));
  const from = context.read(line, 0, line.length);
  if (from < 0) return from === UNSURE ? 'unsure' : 'none';
  const to = context.valueEnd;
  const parts: Part[] = [];
  let at = 0;
  for (const [i, constant] of constants.entries()) {
    const end = at + Buffer.byteLength(constant);
    const own = line.subarray(Math.max(at, from), Math.max(at, from, Math.min(end, to)));
    if (own.length > 0) parts.push(own);
    const column = columns[i];
    if (column !== undefined && end >= from && end < to) parts.push(column);
    at = end + PLACEHOLDER.length;
  }
  const size = parts.reduce((sum, part) => sum + (Buffer.isBuffer(part) ? part.length : part.longest), 0);
  return size > VALUE_MAX ? 'unsure' : parts;
}

const PLACEHOLDER = 'x';

const longestOf = (columns: readonly Column[]): number => columns.reduce((sum, { longest }) => sum + longest, 0);
