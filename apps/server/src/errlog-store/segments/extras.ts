// Request ids and fields of lines, by place. A name that many lines have is a column. The values of other names are
// listed with their places: each sender may invent names, and a column takes space for every line.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Values by place, 0 where a line has none. The list may end early. */
type Values = readonly (string | 0)[];

interface Stored {
  readonly requests: Values;
  readonly columns: readonly (readonly [name: string, ...values: (string | 0)[]])[];
  readonly rare: readonly (readonly [place: number, name: string, value: string])[];
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
    const columns: [string, ...(string | 0)[]][] = [];
    const rare: [number, string, string][] = [];
    for (const [name, column] of this.#fields) {
      if (column.places.length * SPARSEST >= n) columns.push([name, ...byPlace(column)]);
      else for (const [i, place] of column.places.entries()) rare.push([place, name, column.values[i] ?? '']);
    }
    const stored: Stored = { requests: byPlace(this.#requests), columns, rare };
    return zstdCompressSync(Buffer.from(JSON.stringify(stored)), {
      params: { [constants.ZSTD_c_compressionLevel]: level },
    });
  }
}

function byPlace({ places, values }: Column): (string | 0)[] {
  const last = places.reduce((a, b) => Math.max(a, b), -1);
  const list: (string | 0)[] = Array.from({ length: last + 1 }, () => 0);
  for (const [i, place] of places.entries()) list[place] = values[i] ?? 0;
  return list;
}

/** Request ids and fields of a segment that is read. */
export class Extras {
  readonly #bytes: Buffer;
  #parsed: Stored | undefined;
  #rareByPlace: Map<number, (readonly [place: number, name: string, value: string])[]> | undefined;

  constructor(encoded: Uint8Array) {
    this.#bytes = encoded.length === 0 ? Buffer.alloc(0) : zstdDecompressSync(encoded);
  }

  get #stored(): Stored {
    this.#parsed ??=
      this.#bytes.length === 0
        ? { requests: [], columns: [], rare: [] }
        : (JSON.parse(this.#bytes.toString()) as Stored);
    return this.#parsed;
  }

  /** Tells whether a text may be the name or the value of a field, or a request id, in exactly this case. */
  mayHave(text: string): boolean {
    return this.#bytes.includes(JSON.stringify(text));
  }

  /** Request ids by place, 0 or `''` where a line has none. The list may end early. */
  get requests(): Values {
    return this.#stored.requests;
  }

  reqId(place: number): string {
    return this.#stored.requests[place] || '';
  }

  /** Fields of a line, undefined if it has none. */
  fields(place: number): Record<string, string> | undefined {
    let fields: Record<string, string> | undefined;
    const add = (name: string, value: string) => {
      fields ??= {};
      Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
    };
    for (const column of this.#stored.columns) {
      const value = column[place + 1];
      if (value !== undefined && value !== 0) add(column[0], value);
    }
    this.#rareByPlace ??= Map.groupBy(this.#stored.rare, ([at]) => at);
    for (const [, name, value] of this.#rareByPlace.get(place) ?? []) add(name, value);
    return fields;
  }

  /** Values of one field by place; undefined if no line has it. */
  values(name: string): Values | undefined {
    const column = this.#stored.columns.find(([known]) => known === name);
    if (column !== undefined) return column.slice(1);
    const rare = this.#stored.rare.filter(([, known]) => known === name);
    if (rare.length === 0) return undefined;
    return byPlace({ places: rare.map(([place]) => place), values: rare.map(([, , value]) => value) });
  }

  /** Adds all values to a builder, each place moved by `placeOf`. */
  copyTo(builder: ExtrasBuilder, placeOf: (place: number) => number): void {
    for (const [place, reqId] of this.#stored.requests.entries()) {
      if (reqId !== 0) builder.addRequest(placeOf(place), reqId);
    }
    for (const [name, ...values] of this.#stored.columns) {
      for (const [place, value] of values.entries()) if (value !== 0) builder.addField(placeOf(place), name, value);
    }
    for (const [place, name, value] of this.#stored.rare) builder.addField(placeOf(place), name, value);
  }
}
