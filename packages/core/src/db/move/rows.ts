// Rows in the text format of PostgreSQL's COPY: the form in which they are copied and compared on both databases. Each
// row is one line. Numbers are decimal, booleans 0 or 1, bytes hexadecimal, in the order of `MovedTable.columns`.
// https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS
import type { MovedTable } from '../moved-tables.ts';

/** Rows that follow each other in the order of the primary key. */
export interface Chunk {
  readonly rows: number;
  readonly data: Buffer;
}

/** Value of a primary key as texts. */
export type Key = readonly string[];

/** A chunk ends with the row that reaches one of both: equal contents are cut in the same places on both databases. */
const CHUNK_ROWS = 20_000;
const CHUNK_BYTES = 4 * 1024 * 1024;

const NEWLINE = 0x0a;
const TAB = 0x09;

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};
const UNESCAPES = new Map(Object.entries(ESCAPES).map(([text, escaped]) => [escaped, text]));
const SPECIAL = /[\\\b\f\n\r\t\v]/;
const EVERY_SPECIAL = new RegExp(SPECIAL, 'g');

/** A value that a driver returned: numbers come as text. */
export type FieldValue = string | Buffer | null;

/** Encodes a value in the text format of `COPY`; null is `\N`, bytes are hexadecimal. */
export function encodeField(value: FieldValue): string {
  if (value === null) return '\\N';
  if (typeof value !== 'string') return `\\\\x${value.toString('hex')}`;
  return SPECIAL.test(value) ? value.replace(EVERY_SPECIAL, (part) => ESCAPES[part] as string) : value;
}

function decodeText(field: string): string {
  return field.includes('\\') ? field.replace(/\\./g, (part) => UNESCAPES.get(part) as string) : field;
}

/** Decodes the rows of a chunk. */
export function* decodeRows({ columns }: MovedTable, { data }: Chunk): Generator<FieldValue[]> {
  const lines = data.toString('utf8').split('\n');
  // The last row ends with a line break, too.
  lines.pop();
  for (const line of lines) {
    yield line.split('\t').map((field, i) => {
      if (field === '\\N') return null;
      // Behind `\\x`, whose backslash is escaped.
      return columns[i]?.kind === 'bytes' ? Buffer.from(field.slice(3), 'hex') : decodeText(field);
    });
  }
}

/** Cuts encoded rows into chunks. */
export function* chunksOfRows(rows: Iterable<string>): Generator<Chunk> {
  let lines: string[] = [];
  let bytes = 0;
  for (const row of rows) {
    lines.push(row);
    bytes += Buffer.byteLength(row);
    if (lines.length < CHUNK_ROWS && bytes < CHUNK_BYTES) continue;
    yield { rows: lines.length, data: Buffer.from(lines.join('')) };
    lines = [];
    bytes = 0;
  }
  if (lines.length > 0) yield { rows: lines.length, data: Buffer.from(lines.join('')) };
}

/** Cuts the output of COPY into chunks. */
export async function* chunksOfCopy(pieces: AsyncIterable<Buffer>): AsyncGenerator<Chunk> {
  let parts: Buffer[] = [];
  let bytes = 0;
  let rows = 0;
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE) + 1; end > 0; end = piece.indexOf(NEWLINE, end) + 1) {
      rows += 1;
      if (rows < CHUNK_ROWS && bytes + end - start < CHUNK_BYTES) continue;
      yield { rows, data: Buffer.concat([...parts, piece.subarray(start, end)]) };
      parts = [];
      bytes = 0;
      rows = 0;
      start = end;
    }
    if (start === piece.length) continue;
    parts.push(piece.subarray(start));
    bytes += piece.length - start;
  }
  if (rows > 0) yield { rows, data: Buffer.concat(parts) };
}

/** Returns the key of the first row of a chunk. */
export const firstKey = (table: MovedTable, { data }: Chunk): Key => keyAt(table, data, 0);

/** Returns the key of the last row of a chunk. */
export const lastKey = (table: MovedTable, { data }: Chunk): Key =>
  keyAt(table, data, data.lastIndexOf(NEWLINE, data.length - 2) + 1);

function keyAt({ keys, columns }: MovedTable, data: Buffer, start: number): Key {
  const key: string[] = [];
  for (let i = 0, from = start; i < keys; i += 1) {
    const end = data.indexOf(i === columns.length - 1 ? NEWLINE : TAB, from);
    key.push(decodeText(data.toString('utf8', from, end)));
    from = end + 1;
  }
  return key;
}

/** Describes a key for a message. Keys are ids, names and times; long ones are cut. */
export const describeKey = ({ columns }: MovedTable, key: Key): string =>
  key.map((value, i) => `${columns[i]?.name}=${JSON.stringify(value.slice(0, 60)).slice(1, -1)}`).join(' ');
