// Request ids and fields of lines, by place. A name that many lines have is a column. The values of other names are
// listed with their places: each sender may invent names, and a column takes space for every line.
import { compress, decompress, readPartOr, type TakeDamage } from './damage.ts';
import { FieldColumn, type FieldHead, packField, type Values } from './field-column.ts';
import { joinSections, splitSections } from './sections.ts';

/** Values that few lines have. */
export type Rare = readonly (readonly [place: number, name: string, value: string])[];

/** Contents: names of the columns, in their order, and the values of all other names. */
interface Head {
  readonly names: readonly string[];
  readonly rare: Rare;
  /** Of the request ids and each column: how it is packed; null or undefined = as JSON. */
  readonly forms?: readonly (FieldHead | null)[];
}

/** A column as it is stored; with null for its head it is JSON. */
interface EncodedColumn {
  readonly head: FieldHead | null;
  readonly bytes: Uint8Array;
}

/** The values of a segment as they are stored. */
export interface EncodedExtras {
  readonly requests: EncodedColumn;
  readonly fields: ReadonlyMap<string, EncodedColumn>;
  readonly rare: Rare;
}

/** Joins the values of a segment, at a level of compression. */
export function joinExtras({ requests, fields, rare }: EncodedExtras, level: number): Uint8Array {
  const columns = [requests, ...fields.values()];
  const head: Head = { names: [...fields.keys()], rare, forms: columns.map((column) => column.head) };
  return joinSections([packJson(head, level), ...columns.map(({ bytes }) => bytes)]);
}

/** A column of values by place as JSON. */
export const jsonColumn = (column: Column, level: number): EncodedColumn => ({
  head: null,
  bytes: packJson(byPlace(column), level),
});

const packJson = (part: unknown, level: number): Uint8Array => compress(Buffer.from(JSON.stringify(part)), level);

/** Lines of a column whose values are read one by one; texts of all values take as long as some hundred of them. */
const SINGLE_MAX = 64;
/** Lines for each of which a column has one value at least. */
const SPARSEST = 8;

interface Column {
  readonly places: number[];
  readonly values: string[];
}

/** Collects the request ids and fields of a segment, in any order. */
export class ExtrasBuilder {
  readonly #requests: Column = { places: [], values: [] };
  readonly #fields = new Map<string, Column>();

  addRequest(place: number, reqId: string): void {
    this.#requests.places.push(place);
    this.#requests.values.push(reqId);
  }

  addField(place: number, name: string, value: string): void {
    let column = this.#fields.get(name);
    if (column === undefined) {
      column = { places: [], values: [] };
      this.#fields.set(name, column);
    }
    column.places.push(place);
    column.values.push(value);
  }

  /** All values with their names, `req` for request ids. */
  *columns(): Generator<readonly [name: string, values: readonly string[]]> {
    if (this.#requests.values.length > 0) yield ['req', this.#requests.values];
    for (const [name, { values }] of this.#fields) yield [name, values];
  }

  /**
   * Encodes the values of `n` lines; empty without any. `arrival` has the places of the lines by arrival; without it
   * columns are JSON, which is quicker.
   */
  encode(n: number, level: number, arrival?: Uint32Array): Uint8Array {
    if (this.#requests.places.length === 0 && this.#fields.size === 0) return new Uint8Array(0);
    const columnOf = (column: Column): EncodedColumn =>
      (arrival && packField(byPlace(column), arrival, level)) ?? jsonColumn(column, level);
    const fields = new Map<string, EncodedColumn>();
    const rare: [number, string, string][] = [];
    for (const [name, column] of this.#fields) {
      if (column.places.length * SPARSEST >= n) fields.set(name, columnOf(column));
      else for (const [i, place] of column.places.entries()) rare.push([place, name, column.values[i] ?? '']);
    }
    return joinExtras({ requests: columnOf(this.#requests), fields, rare }, level);
  }
}

function byPlace({ places, values }: Column): (string | 0)[] {
  let last = -1;
  for (const place of places) last = Math.max(last, place);
  const list = Array<string | 0>(last + 1).fill(0);
  for (let i = 0; i < places.length; i += 1) list[places[i] as number] = values[i] ?? 0;
  return list;
}

/** Reads some of the bytes; `missing` stands for damaged ones. */
type ReadOr = <T>(read: () => T, missing: T) => T;

/** A column of JSON that is read when it is needed. */
class JsonColumn {
  readonly #packed: Uint8Array;
  #bytes: Buffer | undefined;

  constructor(packed: Uint8Array) {
    this.#packed = packed;
  }

  /** Tells whether a line may have a value. One without letters has only one form, which native code looks for. */
  mayHave(value: string): boolean {
    return /[A-Za-z]/.test(value) || this.#text.includes(JSON.stringify(value));
  }

  values(): Values {
    return JSON.parse(this.#text.toString()) as Values;
  }

  get #text(): Buffer {
    this.#bytes ??= decompress(this.#packed);
    return this.#bytes;
  }
}

/** One column of which the values are kept once they are read. */
class StoredColumn {
  readonly #column: JsonColumn | FieldColumn;
  readonly #readOr: ReadOr;
  #values: Values | undefined;
  /** Lines whose value was read alone. */
  #asked = 0;

  constructor(column: JsonColumn | FieldColumn, readOr: ReadOr) {
    this.#column = column;
    this.#readOr = readOr;
  }

  mayHave(value: string): boolean {
    return this.#readOr(() => this.#column.mayHave(value), false);
  }

  /** The value of a line; 0 or undefined where it has none. */
  at(place: number): string | 0 | undefined {
    const column = this.#column;
    if (this.#values !== undefined || this.#asked === SINGLE_MAX || column instanceof JsonColumn)
      return this.values[place];
    this.#asked += 1;
    return this.#readOr<string | 0>(() => column.at(place), 0);
  }

  get values(): Values {
    this.#values ??= this.#readOr<Values>(() => this.#column.values(), []);
    return this.#values;
  }
}

/** Request ids and fields of a segment that is read, each name when it is needed. */
export class Extras {
  readonly #requests: StoredColumn | undefined;
  readonly #columns = new Map<string, StoredColumn>();
  readonly #rare: Rare;
  #rareByPlace: Map<number, Rare> | undefined;

  /**
   * `takeDamage` takes damaged columns of the segment. Their values are missing then. `arrival` gives the places of all
   * lines by arrival.
   */
  constructor(encoded: Uint8Array, segment: number, takeDamage: TakeDamage, arrival: () => Uint32Array) {
    const readOr: ReadOr = (read, missing) => readPartOr(segment, 'fields', takeDamage, read, missing);
    const [packed, requests, ...columns] = readOr(() => (encoded.length === 0 ? [] : splitSections(encoded)), []);
    const nothing: Head = { names: [], rare: [] };
    const head =
      packed === undefined ? nothing : readOr<Head>(() => JSON.parse(decompress(packed).toString()), nothing);
    this.#rare = head.rare;
    const columnOf = (bytes: Uint8Array, i: number) => {
      const form = head.forms?.[i] ?? undefined;
      return new StoredColumn(
        form === undefined ? new JsonColumn(bytes) : new FieldColumn(form, bytes, arrival),
        readOr,
      );
    };
    this.#requests = requests && columnOf(requests, 0);
    for (const [i, name] of head.names.entries()) this.#columns.set(name, columnOf(columns[i] as Uint8Array, i + 1));
  }

  readAll(): void {
    void this.#requests?.values;
    for (const { values } of this.#columns.values()) void values;
  }

  reqId(place: number): string {
    return this.#requests?.at(place) || '';
  }

  /** Fields of a line, undefined if it has none. */
  fields(place: number): Record<string, string> | undefined {
    let fields: Record<string, string> | undefined;
    const add = (name: string, value: string) => {
      fields ??= {};
      Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
    };
    for (const [name, column] of this.#columns) {
      const value = column.at(place);
      if (value !== undefined && value !== 0) add(name, value);
    }
    this.#rareByPlace ??= Map.groupBy(this.#rare, ([at]) => at);
    for (const [, name, value] of this.#rareByPlace.get(place) ?? []) add(name, value);
    return fields;
  }

  /** Request ids by place; undefined if no line can have one that is `having`. */
  requests(having?: string): Values | undefined {
    return valuesOf(this.#requests, having);
  }

  /** Values of one field by place; undefined if no line has it, or none can have the value `having`. */
  values(name: string, having?: string): Values | undefined {
    const column = this.#columns.get(name);
    if (column !== undefined) return valuesOf(column, having);
    const rare = this.#rare.filter(([, known]) => known === name);
    if (rare.length === 0) return undefined;
    return byPlace({ places: rare.map(([place]) => place), values: rare.map(([, , value]) => value) });
  }

  /** Adds all values to a builder, each place moved by `placeOf`. */
  copyTo(builder: ExtrasBuilder, placeOf: (place: number) => number): void {
    // Not `entries`: a pair for each value is a tenth of all that packing allocates.
    const copy = (values: Values, add: (place: number, value: string) => void) => {
      for (let place = 0; place < values.length; place += 1) {
        const value = values[place];
        if (value !== undefined && value !== 0) add(placeOf(place), value);
      }
    };
    copy(this.#requests?.values ?? [], (place, value) => builder.addRequest(place, value));
    for (const [name, { values }] of this.#columns) {
      copy(values, (place, value) => builder.addField(place, name, value));
    }
    for (const [place, name, value] of this.#rare) builder.addField(placeOf(place), name, value);
  }
}

/** Values of a column; undefined where none can be `having`. */
function valuesOf(column: StoredColumn | undefined, having?: string): Values | undefined {
  return having === undefined || column?.mayHave(having) ? column?.values : undefined;
}
