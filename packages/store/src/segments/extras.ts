// Request ids and fields of lines, by place. A name that many lines have is a column. The values of other names are
// listed with their places: each sender may invent names, and a column takes space for every line.
import { compress, decompress, readPartOr, type TakeDamage } from './damage.ts';
import { joinSections, splitSections } from './sections.ts';

/** Values by place, 0 where a line has none. The list may end early. */
type Values = readonly (string | 0)[];

/** Values that few lines have. */
type Rare = readonly (readonly [place: number, name: string, value: string])[];

/** Contents: names of the columns, in their order, and the values of all other names. */
interface Head {
  readonly names: readonly string[];
  readonly rare: Rare;
}

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

  /** Encodes the values of `n` lines; empty without any. */
  encode(n: number, level: number): Uint8Array {
    if (this.#requests.places.length === 0 && this.#fields.size === 0) return new Uint8Array(0);
    const names: string[] = [];
    const columns: Column[] = [this.#requests];
    const rare: [number, string, string][] = [];
    for (const [name, column] of this.#fields) {
      if (column.places.length * SPARSEST >= n) {
        names.push(name);
        columns.push(column);
      } else for (const [i, place] of column.places.entries()) rare.push([place, name, column.values[i] ?? '']);
    }
    const pack = (part: unknown) => compress(Buffer.from(JSON.stringify(part)), level);
    const head: Head = { names, rare };
    return joinSections([pack(head), ...columns.map((column) => pack(byPlace(column)))]);
  }
}

function byPlace({ places, values }: Column): (string | 0)[] {
  const last = places.reduce((a, b) => Math.max(a, b), -1);
  const list: (string | 0)[] = Array.from({ length: last + 1 }, () => 0);
  for (const [i, place] of places.entries()) list[place] = values[i] ?? 0;
  return list;
}

/** Reads some of the bytes; `missing` stands for damaged ones. */
type ReadOr = <T>(read: () => T, missing: T) => T;

/** One column that is read when it is needed. */
class StoredColumn {
  readonly #packed: Uint8Array;
  readonly #readOr: ReadOr;
  #bytes: Buffer | undefined;
  #values: Values | undefined;

  constructor(packed: Uint8Array, readOr: ReadOr) {
    this.#packed = packed;
    this.#readOr = readOr;
  }

  /** Tells whether a line has a value, in exactly this case, or may have it. */
  mayHave(value: string): boolean {
    return this.#readOr(() => this.#text.includes(JSON.stringify(value)), false);
  }

  get values(): Values {
    this.#values ??= this.#readOr<Values>(() => JSON.parse(this.#text.toString()), []);
    return this.#values;
  }

  get #text(): Buffer {
    this.#bytes ??= decompress(this.#packed);
    return this.#bytes;
  }
}

/** Request ids and fields of a segment that is read, each name when it is needed. */
export class Extras {
  readonly #requests: StoredColumn | undefined;
  readonly #columns = new Map<string, StoredColumn>();
  readonly #rare: Rare;
  #rareByPlace: Map<number, Rare> | undefined;

  /** `takeDamage` takes damaged columns of the segment. Their values are missing then. */
  constructor(encoded: Uint8Array, segment: number, takeDamage: TakeDamage) {
    const readOr: ReadOr = (read, missing) => readPartOr(segment, 'fields', takeDamage, read, missing);
    const [packed, requests, ...columns] = readOr(() => (encoded.length === 0 ? [] : splitSections(encoded)), []);
    const nothing: Head = { names: [], rare: [] };
    const head =
      packed === undefined ? nothing : readOr<Head>(() => JSON.parse(decompress(packed).toString()), nothing);
    this.#rare = head.rare;
    this.#requests = requests && new StoredColumn(requests, readOr);
    for (const [i, name] of head.names.entries())
      this.#columns.set(name, new StoredColumn(columns[i] as Uint8Array, readOr));
  }

  readAll(): void {
    void this.#requests?.values;
    for (const { values } of this.#columns.values()) void values;
  }

  reqId(place: number): string {
    return this.#requests?.values[place] || '';
  }

  /** Fields of a line, undefined if it has none. */
  fields(place: number): Record<string, string> | undefined {
    let fields: Record<string, string> | undefined;
    const add = (name: string, value: string) => {
      fields ??= {};
      Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
    };
    for (const [name, { values }] of this.#columns) {
      const value = values[place];
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
    for (const [place, reqId] of this.#requests?.values.entries() ?? []) {
      if (reqId !== 0) builder.addRequest(placeOf(place), reqId);
    }
    for (const [name, { values }] of this.#columns) {
      for (const [place, value] of values.entries()) if (value !== 0) builder.addField(placeOf(place), name, value);
    }
    for (const [place, name, value] of this.#rare) builder.addField(placeOf(place), name, value);
  }
}

/** Values of a column. One without letters has only one form, which native code looks for before they are parsed. */
function valuesOf(column: StoredColumn | undefined, having?: string): Values | undefined {
  if (column === undefined) return undefined;
  return having === undefined || /[A-Za-z]/.test(having) || column.mayHave(having) ? column.values : undefined;
}
