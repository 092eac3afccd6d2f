// Writes the texts of a segment as columns: lines with the same bytes between their tokens have one template. Tokens
// that differ among its lines are columns, all else is stored once. Other lines are stored as they are.
import { type ColumnForm, type PackedColumn, packColumns } from './column-writer.ts';
import { compress } from './damage.ts';
import { LONG_GRAM } from './gram-hashes.ts';
import { bytesOf, joinSections } from './sections.ts';
import { LineTokens } from './tokens.ts';

/** Bytes of text in one block of lines without a template. */
export const BLOCK_BYTES = 512 * 1024;
/** Fewest and most lines of a template. A damaged byte costs the lines of one template at most. */
const LINES_MIN = 16;
const LINES_MAX = 16_384;
/** Most templates of a segment. */
const TEMPLATES_MAX = 1_024;
/** Bytes of text that are compressed to learn whether columns are smaller. */
const SAMPLE_BYTES = 64 * 1024;
/** Share of the texts below which columns are taken without a sample. */
const SMALL_SHARE = 0.06;
/** Greatest size of columns, as a share of what the sample tells about the texts. */
const SHARE_MAX = 0.85;
/** Stands in front of the form of the texts. Texts without templates begin with a number of lines, which is not 0. */
export const FORM_MARK = 0;
/** Form of texts with templates. */
export const TEMPLATE_FORM = 2;

/** A template as it is stored. */
export interface TemplateHead {
  /** Number of its lines, and bytes of their texts. */
  readonly n: number;
  readonly bytes: number;
  /** Bytes in front of each column, and behind the last one. */
  readonly constants: readonly string[];
  readonly columns: readonly ColumnForm[];
}

/** Places of values in the texts, by row. */
interface Column {
  starts: Int32Array;
  ends: Int32Array;
}

const NOTHING = new Uint8Array(0);
/** Rows that a template has room for at first. */
const FIRST_ROWS = 64;

/** Lines with one skeleton. */
class Template {
  readonly skeleton: Buffer;
  /** Number of its lines. */
  n = 0;
  bytes = 0;
  readonly #texts: Uint8Array;
  readonly #from: number;
  readonly #to: number;
  /** Tokens of the first line. */
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  readonly #columns: (Column | undefined)[];
  // Numbers of all rows are the most of what packing keeps in memory. As lists of V8 they take most of its time.
  #places = new Int32Array(FIRST_ROWS);

  constructor(texts: Uint8Array, from: number, to: number, tokens: LineTokens) {
    this.#texts = texts;
    [this.#from, this.#to] = [from, to];
    this.skeleton = Buffer.from(tokens.skeleton);
    this.#starts = tokens.starts.slice(0, tokens.count);
    this.#ends = tokens.ends.slice(0, tokens.count);
    this.#columns = Array(tokens.count).fill(undefined);
  }

  /** Places of its lines. */
  get places(): Int32Array {
    return this.#places.subarray(0, this.n);
  }

  add(place: number, length: number, { starts, ends }: LineTokens): void {
    const row = this.n;
    if (row === this.#places.length) this.#grow();
    const columns = this.#columns;
    const texts = this.#texts;
    const [firstStarts, firstEnds] = [this.#starts, this.#ends];
    for (let i = 0; i < columns.length; i += 1) {
      const [start, end] = [starts[i] as number, ends[i] as number];
      let column = columns[i];
      if (column === undefined) {
        const first = firstStarts[i] as number;
        let at = (firstEnds[i] as number) - first === end - start ? start : -1;
        while (at >= 0 && at < end && texts[at] === texts[first + at - start]) at += 1;
        if (at === end) continue;
        const rows = this.#places.length;
        column = {
          starts: new Int32Array(rows).fill(first, 0, row),
          ends: new Int32Array(rows).fill(firstEnds[i] as number, 0, row),
        };
        columns[i] = column;
      }
      column.starts[row] = start;
      column.ends[row] = end;
    }
    this.#places[row] = place;
    this.n += 1;
    this.bytes += length;
  }

  #grow(): void {
    this.#places = doubled(this.#places);
    for (const column of this.#columns) {
      if (column === undefined) continue;
      column.starts = doubled(column.starts);
      column.ends = doubled(column.ends);
    }
  }

  pack(): { readonly head: TemplateHead; readonly columns: readonly PackedColumn[] } {
    const constants: string[] = [];
    let from = this.#from;
    for (const [i, column] of this.#columns.entries()) {
      if (column === undefined) continue;
      constants.push(this.#text(from, this.#starts[i] as number));
      from = this.#ends[i] as number;
    }
    constants.push(this.#text(from, this.#to));
    const columns = packColumns(this.#variable.map((column) => ({ bytes: this.#texts, ...column })));
    const head = { n: this.n, bytes: this.bytes, constants, columns: columns.map(({ form }) => form) };
    return { head, columns };
  }

  get #variable(): readonly Column[] {
    return this.#columns
      .filter((column) => column !== undefined)
      .map(({ starts, ends }) => ({ starts: starts.subarray(0, this.n), ends: ends.subarray(0, this.n) }));
  }

  /**
   * Adds places of texts, with which all grams and tokens of the lines are in a filter: the first line, and what
   * differs in other lines with the bytes around it.
   */
  addPlaces(packed: readonly PackedColumn[], to: number[]): void {
    to.push(this.#from, this.#to);
    const columns = this.#variable;
    let before = this.#from;
    for (let first = 0; first < columns.length; ) {
      let last = first;
      while (last + 1 < columns.length && gapBehind(columns, last) < LONG_GRAM - 1) last += 1;
      const run = columns.slice(first, last + 1);
      const next = columns[last + 1]?.starts[0] ?? this.#to;
      const left = Math.min(LONG_GRAM - 1, (run[0]?.starts[0] as number) - before);
      before = run.at(-1)?.ends[0] as number;
      const right = Math.min(LONG_GRAM - 1, next - before);
      const rows = run.length === 1 ? packed[first]?.rows : undefined;
      if (rows === undefined) for (let row = 0; row < this.n; row += 1) addRun(run, row, left, right, to);
      else for (const row of rows) addRun(run, row, left, right, to);
      first = last + 1;
    }
  }

  #text(from: number, to: number): string {
    return Buffer.from(this.#texts.buffer, this.#texts.byteOffset + from, to - from).toString();
  }
}

function doubled(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

/** Bytes between a column and the next one, the same in all lines. */
const gapBehind = (columns: readonly Column[], i: number): number =>
  (columns[i + 1]?.starts[0] as number) - (columns[i]?.ends[0] as number);

/** Adds the place of neighbouring columns in a line, with some bytes around them, unless it is as in the first line. */
function addRun(run: readonly Column[], row: number, left: number, right: number, to: number[]): void {
  // Rows in front of the first one that differs have the place of the token in the first line.
  const own = run.findIndex(({ starts }) => starts[row] !== starts[0]);
  if (own < 0) return;
  let from = run[own]?.starts[row] as number;
  for (let i = own - 1; i >= 0; i -= 1) from -= gapBehind(run, i) + lengthIn(run, i, row);
  let end = run[own]?.ends[row] as number;
  for (let i = own + 1; i < run.length; i += 1) end += gapBehind(run, i - 1) + lengthIn(run, i, row);
  to.push(from - left, end + right);
}

const lengthIn = (run: readonly Column[], i: number, row: number): number =>
  (run[i]?.ends[row] as number) - (run[i]?.starts[row] as number);

/** Lines by their templates. */
class Templates {
  readonly all: Template[] = [];
  readonly #texts: Uint8Array;
  readonly #byHash = new Map<number, Template[]>();
  readonly #tokens = new LineTokens();

  constructor(texts: Uint8Array) {
    this.#texts = texts;
  }

  add(place: number, from: number, to: number): void {
    const tokens = this.#tokens;
    if (!tokens.read(this.#texts, from, to)) return;
    const known = this.#byHash.get(tokens.hash) ?? [];
    this.#byHash.set(tokens.hash, known);
    let at = known.findIndex(({ skeleton }) => tokens.hasSkeleton(skeleton));
    if (at < 0 || known[at]?.n === LINES_MAX) {
      const template = new Template(this.#texts, from, to, tokens);
      this.all.push(template);
      if (at < 0) at = known.length;
      known[at] = template;
    }
    known[at]?.add(place, to - from, tokens);
  }
}

/** Texts as they are stored. */
export interface EncodedTexts {
  readonly texts: Buffer;
  /**
   * Starts and ends of parts of the texts. They have all grams of {@link LONG_GRAM} bytes and all tokens of all lines.
   * Of a token that is not whole they have fewer bytes than a gram.
   */
  readonly parts: readonly number[];
}

/** Encodes the texts of lines, each with its length, at a level of compression. */
export function encodeTemplates(texts: Uint8Array, lengths: Uint32Array, level: number): EncodedTexts {
  const parts: number[] = [];
  const starts = startsOf(lengths);
  const templates = new Templates(texts);
  for (let place = 0; place < lengths.length; place += 1)
    templates.add(place, starts[place] as number, starts[place + 1] as number);
  const heads: TemplateHead[] = [];
  const words: Uint8Array[] = [];
  const blocks: Uint8Array[] = [];
  const blockOf = new Uint16Array(lengths.length).fill(NO_BLOCK);
  const large = templates.all.filter(({ n }) => n >= LINES_MIN);
  for (const template of large.sort((a, b) => b.n - a.n).slice(0, TEMPLATES_MAX)) {
    const { head, columns } = template.pack();
    const data = compress(Buffer.concat(columns.map((column) => column.data)), level);
    const size = columns.reduce((sum, column) => sum + (column.words?.length ?? 0), data.length);
    const isSmall = size < SMALL_SHARE * template.bytes;
    if (!isSmall && size > SHARE_MAX * estimate(texts, starts, template, level)) continue;
    for (const place of template.places) blockOf[place] = blocks.length;
    for (const column of columns) if (column.words !== undefined) words.push(column.words);
    template.addPlaces(columns, parts);
    heads.push(head);
    blocks.push(data);
  }
  for (const places of plainBlocks(blockOf, lengths)) {
    for (const place of places) {
      blockOf[place] = blocks.length;
      parts.push(starts[place] as number, starts[place + 1] as number);
    }
    const own = places.map((place) => texts.subarray(starts[place], starts[place + 1]));
    const sizes = Uint32Array.from(own, ({ length }) => length);
    blocks.push(compress(joinSections([bytesOf(sizes), Buffer.concat(own)]), level));
  }
  const head = joinSections([Buffer.from(JSON.stringify(heads)), Buffer.concat(words)]);
  const sections = [
    bytesOf(Uint32Array.of(FORM_MARK, TEMPLATE_FORM)),
    compress(head, level),
    blocks.length > 1 ? compress(bytesOf(blockOf), level) : NOTHING,
    ...blocks,
  ];
  return { texts: joinSections(sections), parts };
}

const NO_BLOCK = 2 ** 16 - 1;

/** The first byte of each text, and their end. */
export function startsOf(lengths: Uint32Array): Uint32Array {
  const starts = new Uint32Array(lengths.length + 1);
  for (let i = 0; i < lengths.length; i += 1) starts[i + 1] = (starts[i] as number) + (lengths[i] as number);
  return starts;
}

/** Bytes that the texts of a template would take without it. */
function estimate(texts: Uint8Array, starts: Uint32Array, { places, bytes }: Template, level: number): number {
  const some: Uint8Array[] = [];
  let size = 0;
  for (const place of places) {
    if (size >= SAMPLE_BYTES) break;
    const text = texts.subarray(starts[place], starts[place + 1]);
    some.push(text);
    size += text.length;
  }
  return size === 0 ? 0 : (compress(Buffer.concat(some), level).length * bytes) / size;
}

/** Yields the places of lines without a template, as many at once as a block holds. */
function* plainBlocks(blockOf: Uint16Array, lengths: Uint32Array): Generator<number[]> {
  let places: number[] = [];
  let size = 0;
  for (let place = 0; place < lengths.length; place += 1) {
    if (blockOf[place] !== NO_BLOCK) continue;
    const length = lengths[place] as number;
    if (size + length > BLOCK_BYTES && places.length > 0) {
      yield places;
      [places, size] = [[], 0];
    }
    places.push(place);
    size += length;
  }
  if (places.length > 0) yield places;
}
