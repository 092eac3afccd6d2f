// The lines of a batch as columns. Threads hand them over as bytes, and no line becomes an object on the way to its
// segment: objects took a third of the time that a line needs (decision 114).
import { decodeText, isCut, type LineFields, type LogLine, MAX_LINE_BYTES } from '@quarterdeck/core/lines';
import { unreadableFields } from '../tables/occurrence-fields.ts';
import type { Sender } from '../tables/sources.ts';

/** A line and its sender. */
export interface SentLine {
  readonly line: LogLine;
  readonly sender: Sender;
}

/** Marks of a line, as bits. */
export const LACKS_TIME = 1;
export const LACKS_LEVEL = 2;
export const IS_CUT = 4;
/** It has a request id or fields. */
export const HAS_VALUES = 8;

/** Lines of a batch, each given by its index. Times are Unix seconds. */
export interface LineColumns {
  readonly senders: readonly Sender[];
  /** `''` for none. */
  readonly services: readonly string[];
  readonly prints: readonly string[];
  /** By line: index of its sender, of its service and of its fingerprint. */
  readonly senderOf: Uint32Array;
  readonly serviceOf: Uint32Array;
  readonly printOf: Uint32Array;
  readonly levels: Uint8Array;
  readonly marks: Uint8Array;
  readonly times: Float64Array;
  readonly appIds: Uint32Array;
  readonly counts: Uint32Array;
  /** Texts in UTF-8, one after the other, and the end of each. */
  readonly texts: Uint8Array;
  readonly ends: Uint32Array;
  /** Request ids and fields that the texts do not have, of names that many lines have. */
  readonly values: readonly ValueColumn[];
  /** The others as JSON: index of a line, name and value, one after the other. */
  readonly rare: string;
}

/** Values of one name. */
export interface ValueColumn {
  /** `''` for request ids: no field has an empty name. */
  readonly name: string;
  /** Indexes of its lines, rising. Columns of all lines share one array, which is handed over once. */
  readonly lines: Uint32Array;
  readonly list: ValueList;
}

/** Values one after the other, each with a line break behind it; as JSON where one of them has a line break. */
export interface ValueList {
  readonly bytes: Uint8Array;
  readonly isJson: boolean;
}

/** Name of request ids among the values of lines. */
export const REQUEST = '';
/** Lines for each of which a name with a column has one value at least. A column takes a bit for each line. */
export const SPARSEST = 32;
const LINE_BREAK = 0x0a;

/** Number of lines. */
export const sizeOf = ({ levels }: LineColumns): number => levels.length;

/** Puts values one after the other. They are well-formed texts. */
export function listOf(values: readonly string[]): ValueList {
  const bytes = Buffer.from(`${values.join('\n')}\n`);
  let breaks = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === LINE_BREAK) breaks += 1;
  return breaks === values.length
    ? { bytes, isJson: false }
    : { bytes: Buffer.from(JSON.stringify(values)), isJson: true };
}

/** Reverses {@link listOf}. */
export function valuesIn({ bytes, isJson }: ValueList): string[] {
  const text = decodeText(bytes);
  return isJson ? (JSON.parse(text) as string[]) : text.slice(0, -1).split('\n');
}

/** Values of one name while they are collected. */
interface Collected {
  readonly lines: number[];
  readonly values: string[];
}

/** Returns the index of one of several values, which are numbered as they come. */
function indexIn<T>(known: Map<T, number>, one: T): number {
  let index = known.get(one);
  if (index === undefined) {
    index = known.size;
    known.set(one, index);
  }
  return index;
}

/** Returns what is collected of a name. */
function collectedOf(all: Map<string, Collected>, name: string): Collected {
  let collected = all.get(name);
  if (collected === undefined) {
    collected = { lines: [], values: [] };
    all.set(name, collected);
  }
  return collected;
}

function indexesTo(size: number): Uint32Array {
  const indexes = new Uint32Array(size);
  for (let i = 0; i < size; i += 1) indexes[i] = i;
  return indexes;
}

/** Collects the lines of a batch. */
export class LineColumnsBuilder {
  readonly #senders = new Map<Sender, number>();
  readonly #services = new Map<string, number>();
  readonly #prints = new Map<string, number>();
  readonly #senderOf: Uint32Array;
  readonly #serviceOf: Uint32Array;
  readonly #printOf: Uint32Array;
  readonly #levels: Uint8Array;
  readonly #marks: Uint8Array;
  readonly #times: Float64Array;
  readonly #appIds: Uint32Array;
  readonly #counts: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #values = new Map<string, Collected>();
  #texts: Buffer;
  #end = 0;
  #n = 0;

  /** `size` is the number of lines at most, and `bytes` about that of their texts. */
  constructor(size: number, bytes: number) {
    this.#senderOf = new Uint32Array(size);
    this.#serviceOf = new Uint32Array(size);
    this.#printOf = new Uint32Array(size);
    this.#levels = new Uint8Array(size);
    this.#marks = new Uint8Array(size);
    this.#times = new Float64Array(size);
    this.#appIds = new Uint32Array(size);
    this.#counts = new Uint32Array(size);
    this.#ends = new Uint32Array(size);
    this.#texts = Buffer.allocUnsafe(bytes + MAX_LINE_BYTES);
  }

  add(line: LogLine, sender: Sender, print: string): void {
    const i = this.#n;
    if (i === this.#levels.length) throw new RangeError('there are more lines than was said');
    this.#n += 1;
    this.#senderOf[i] = indexIn(this.#senders, sender);
    this.#serviceOf[i] = indexIn(this.#services, line.service ?? '');
    this.#printOf[i] = indexIn(this.#prints, print);
    this.#levels[i] = line.level;
    this.#times[i] = line.logTime;
    this.#appIds[i] = line.appId;
    this.#counts[i] = line.count;
    this.#addText(line.log);
    this.#ends[i] = this.#end;
    const hasValues = line.reqId !== '' || line.fields !== undefined;
    this.#marks[i] =
      (line.lacksTime ? LACKS_TIME : 0) |
      (line.lacksLevel ? LACKS_LEVEL : 0) |
      (isCut(line.log) ? IS_CUT : 0) |
      (hasValues ? HAS_VALUES : 0);
    if (!hasValues) return;
    if (line.reqId !== '') this.#addValue(i, REQUEST, line.reqId);
    const fields = unreadableFields(line);
    for (const name in fields) this.#addValue(i, name, fields[name] as string);
  }

  #addText(log: string): void {
    // A cleaned text is no longer than this.
    if (this.#end + MAX_LINE_BYTES > this.#texts.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#texts.length, this.#end + MAX_LINE_BYTES));
      this.#texts.copy(larger, 0, 0, this.#end);
      this.#texts = larger;
    }
    this.#end += this.#texts.write(log, this.#end);
  }

  #addValue(i: number, name: string, value: string): void {
    const collected = collectedOf(this.#values, name);
    collected.lines.push(i);
    collected.values.push(value);
  }

  finish(): LineColumns {
    const values: ValueColumn[] = [];
    const rare: (string | number)[] = [];
    const size = this.#n;
    const all = indexesTo(size);
    for (const [name, collected] of this.#values) {
      const { length } = collected.lines;
      if (length * SPARSEST >= size) {
        const lines = length === size ? all : new Uint32Array(collected.lines);
        values.push({ name, lines, list: listOf(collected.values) });
      } else for (const [i, line] of collected.lines.entries()) rare.push(line, name, collected.values[i] as string);
    }
    return {
      senders: [...this.#senders.keys()],
      services: [...this.#services.keys()],
      prints: [...this.#prints.keys()],
      senderOf: this.#senderOf.subarray(0, size),
      serviceOf: this.#serviceOf.subarray(0, size),
      printOf: this.#printOf.subarray(0, size),
      levels: this.#levels.subarray(0, size),
      marks: this.#marks.subarray(0, size),
      times: this.#times.subarray(0, size),
      appIds: this.#appIds.subarray(0, size),
      counts: this.#counts.subarray(0, size),
      texts: this.#texts.subarray(0, this.#end),
      ends: this.#ends.subarray(0, size),
      values,
      rare: rare.length === 0 ? '' : JSON.stringify(rare),
    };
  }
}

/** Returns lines with their fingerprints as columns. */
export function toColumns(lines: readonly SentLine[], printOf: (line: LogLine, i: number) => string): LineColumns {
  const builder = new LineColumnsBuilder(
    lines.length,
    lines.reduce((sum, { line }) => sum + line.log.length, 0),
  );
  for (const [i, { line, sender }] of lines.entries()) builder.add(line, sender, printOf(line, i));
  return builder.finish();
}

/** The text of a line. */
export const textOf = ({ texts, ends }: LineColumns, i: number): string =>
  decodeText(texts.subarray(i === 0 ? 0 : ends[i - 1], ends[i]));

/** Values of names that few lines have, by name. */
export function rareValues({ rare }: LineColumns): Map<string, Collected> {
  const values = new Map<string, Collected>();
  const list = rare === '' ? [] : (JSON.parse(rare) as (string | number)[]);
  for (let at = 0; at < list.length; at += 3) {
    const collected = collectedOf(values, list[at + 1] as string);
    collected.lines.push(list[at] as number);
    collected.values.push(list[at + 2] as string);
  }
  return values;
}

/** Returns the lines as objects, with the fields that their texts do not have. */
export function linesOf(columns: LineColumns): SentLine[] {
  const { levels, marks, times, appIds, counts, senderOf, serviceOf } = columns;
  const lines = Array.from(levels, (level, i): SentLine => {
    const mark = marks[i] as number;
    const service = columns.services[serviceOf[i] as number] as string;
    const line: LogLine = {
      level,
      log: textOf(columns, i),
      logTime: times[i] as number,
      appId: appIds[i] as number,
      reqId: '',
      count: counts[i] as number,
      ...(mark & LACKS_TIME && { lacksTime: true }),
      ...(mark & LACKS_LEVEL && { lacksLevel: true }),
      ...(service !== '' && { service }),
    };
    return { line, sender: columns.senders[senderOf[i] as number] as Sender };
  });
  const add = (name: string, { lines: indexes, values }: { lines: Iterable<number>; values: readonly string[] }) => {
    let at = 0;
    for (const i of indexes) {
      const { line } = lines[i] as SentLine;
      const value = values[at] as string;
      at += 1;
      if (name === REQUEST) line.reqId = value;
      else line.fields = withField(line.fields, name, value);
    }
  };
  for (const { name, lines: indexes, list } of columns.values) add(name, { lines: indexes, values: valuesIn(list) });
  for (const [name, collected] of rareValues(columns)) add(name, collected);
  return lines;
}

/** Adds a field in place. Any name is allowed, `__proto__` as well. */
function withField(fields: LineFields | undefined, name: string, value: string): LineFields {
  return Object.defineProperty(fields ?? {}, name, { value, enumerable: true, configurable: true, writable: true });
}
