// Counts values of one field that nginx writes behind its messages, block by block. Lines of one template have the
// field at one place: its columns are counted, and the lines are not put together.
import type { Column } from '../segments/column-reader.ts';
import { TemplateBlock } from '../segments/template-block.ts';
import type { TextBlock } from '../segments/text-block.ts';
import { type ContextReader, LINE_MAX, UNSURE, VALUE_MAX } from './nginx-values.ts';
import type { ValueCounts } from './value-counts.ts';

/** Counts the value of a row `n` times; returns false where only `nginxFields` can read it. */
export type CountRow = (row: number, n: number) => boolean;

export const COUNT_NONE: CountRow = () => true;
const CANNOT_COUNT: CountRow = () => false;

/** Returns how rows of a block are counted. @throws where the block is damaged */
export function rowCounter(block: TextBlock, context: ContextReader, counts: ValueCounts): CountRow {
  return block instanceof TemplateBlock ? inTemplate(block, context, counts) : inTexts(block, context, counts);
}

function inTexts(block: TextBlock, context: ContextReader, counts: ValueCounts): CountRow {
  const { bytes, starts } = block.all();
  return (row, n) => {
    const from = context.read(bytes, starts[row] as number, starts[row + 1] as number);
    if (from >= 0) counts.addBytes(bytes, from, context.valueEnd, n);
    return from !== UNSURE;
  };
}

/** Parts of a value: bytes that all lines have, and columns. */
type Part = Buffer | Column;

function inTemplate(block: TemplateBlock, context: ContextReader, counts: ValueCounts): CountRow {
  const parts = partsOfValue(block, context);
  if (!Array.isArray(parts)) return parts === 'none' ? COUNT_NONE : CANNOT_COUNT;
  for (const part of parts) if (!Buffer.isBuffer(part)) part.open();
  const [first] = parts;
  if (parts.length === 1 && first !== undefined && !Buffer.isBuffer(first)) return inColumn(first, counts);
  const value = Buffer.alloc(VALUE_MAX);
  return (row, n) => {
    let end = 0;
    for (const part of parts) end = Buffer.isBuffer(part) ? end + part.copy(value, end) : part.write(row, value, end);
    if ((value[end - 1] as number) >= 0x80) return false;
    counts.addBytes(value, 0, end, n);
    return true;
  };
}

/** Counts the different values of a column where they are stored once each, else each value. */
function inColumn(column: Column, counts: ValueCounts): CountRow {
  const { list, indexes } = column;
  const value = Buffer.alloc(VALUE_MAX);
  if (list === undefined || indexes === undefined) {
    return (row, n) => {
      const end = column.write(row, value, 0);
      if ((value[end - 1] as number) >= 0x80) return false;
      counts.addBytes(value, 0, end, n);
      return true;
    };
  }
  const { bytes, starts } = list;
  return (row, n) => {
    const index = indexes[row] as number;
    const end = (starts[index + 1] as number) - 1;
    if ((bytes[end - 1] as number) >= 0x80) return false;
    counts.addBytes(bytes, starts[index] as number, end, n);
    return true;
  };
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
