// Reads lines of one template. A search looks at the constant parts first, then only at columns that can have a part of
// the text.
import { type Column, Piece, readColumn, sizesOf } from './column-reader.ts';
import { decompressAll } from './damage.ts';
import type { TemplateHead } from './template-writer.ts';
import type { LineSearch, OpenTexts, TextBlock } from './text-block.ts';
import { firstToken } from './tokens.ts';

/** A part of a text that must be in a column. */
interface Condition {
  readonly column: number;
  readonly piece: Piece;
}

/** Lines of one template. */
export class TemplateBlock implements TextBlock {
  readonly places: Uint32Array;
  readonly #head: TemplateHead;
  readonly #constants: readonly Buffer[];
  /** The columns between the constants. */
  readonly columns: readonly Column[];
  #data: Buffer | undefined;
  #isOpen = false;
  #line: Buffer | undefined;

  /** `words` has the lists of all columns, one after the other. */
  constructor(head: TemplateHead, words: Buffer, packed: Uint8Array, places: Uint32Array) {
    const { columns, constants, n } = head;
    if (places.length !== n || constants.length !== columns.length + 1)
      throw new RangeError('a template has other lines or columns');
    this.places = places;
    this.#head = head;
    this.#constants = constants.map((text) => Buffer.from(text));
    const read: Column[] = [];
    const size = columns.reduce((sum, form) => sum + sizesOf(form, n).data, 0);
    const readData = (from: number, to: number) => {
      this.#data ??= decompressAll(packed, size);
      return this.#data.subarray(from, to);
    };
    let [wordsAt, dataAt] = [0, 0];
    for (const form of columns) {
      const sizes = sizesOf(form, n);
      const from = dataAt;
      const own = words.subarray(wordsAt, wordsAt + sizes.words);
      read.push(readColumn({ form, n, words: own, data: () => readData(from, from + sizes.data) }, read));
      wordsAt += sizes.words;
      dataAt += sizes.data;
    }
    this.columns = read;
  }

  get constants(): readonly string[] {
    return this.#head.constants;
  }

  open(): void {
    if (this.#isOpen) return;
    for (const column of this.columns) column.open();
    this.#isOpen = true;
  }

  text(row: number): string {
    this.#line ??= Buffer.allocUnsafe(
      this.#constants.reduce((sum, { length }) => sum + length, 0) +
        this.columns.reduce((sum, { longest }) => sum + longest, 0),
    );
    return this.#line.toString('utf8', 0, this.#write(row, this.#line, 0));
  }

  all(): OpenTexts {
    const { n, bytes: size } = this.#head;
    const bytes = Buffer.allocUnsafe(size);
    const starts = new Uint32Array(n + 1);
    for (let row = 0; row < n; row += 1) starts[row + 1] = this.#write(row, bytes, starts[row] as number);
    if (starts[n] !== size) throw new RangeError('the texts are not as long as they were');
    return { bytes, starts };
  }

  #write(row: number, to: Buffer, at: number): number {
    const { columns } = this;
    let place = writeBytes(this.#constants[0] as Buffer, to, at);
    for (let i = 0; i < columns.length; i += 1) {
      place = (columns[i] as Column).write(row, to, place);
      place = writeBytes(this.#constants[i + 1] as Buffer, to, place);
    }
    return place;
  }

  search({ texts }: LineSearch, found: (row: number) => void): void {
    const marks = new Uint8Array(this.#head.n);
    for (const text of texts) {
      const ways = waysToHave(this.#head.constants.map(fold), fold(text.toWellFormed()));
      if (ways === 'constant') marks.fill(1);
      else for (const conditions of ways) this.#mark(conditions, marks);
    }
    for (let row = 0; row < marks.length; row += 1) if (marks[row] === 1) found(row);
  }

  /** Marks the rows that fulfil all conditions. */
  #mark(conditions: readonly Condition[], marks: Uint8Array): void {
    let all: Uint8Array | undefined;
    for (const { column, piece } of conditions) {
      const own = this.columns[column]?.mark(piece);
      if (own === undefined) return;
      const others = all;
      all = others === undefined ? own : own.map((mark, row) => mark & (others[row] as number));
    }
    for (const [row, mark] of all?.entries() ?? []) if (mark === 1) marks[row] = 1;
  }
}

function writeBytes(bytes: Buffer, to: Buffer, at: number): number {
  for (let i = 0; i < bytes.length; i += 1) to[at + i] = bytes[i] as number;
  return at + bytes.length;
}

/** ASCII letters in lower case. */
const fold = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/**
 * The ways in which a line may contain a text: each is a list of conditions on columns, all of which the line fulfils.
 * `constant`: every line contains it. A column has no bytes but those of tokens, so a text can be cut in one way only.
 */
function waysToHave(constants: readonly string[], text: string): 'constant' | Condition[][] {
  const ways: (Condition[] | undefined)[] = [];
  const token = firstToken(text);
  for (const [i, constant] of constants.entries()) {
    if (constant.includes(text)) return 'constant';
    if (i === constants.length - 1) break;
    for (let length = Math.min(constant.length, text.length - 1); length > 0; length -= 1)
      if (constant.endsWith(text.slice(0, length))) ways.push(fromColumn(constants, i, text.slice(length)));
    if (token === '') continue;
    const first = { column: i, piece: new Piece(token, false) };
    const rest = token.length === text.length ? [] : fromConstant(constants, i + 1, text.slice(token.length));
    ways.push(rest && [first, ...rest]);
  }
  return ways.filter((way) => way !== undefined);
}

/** Conditions under which a text begins with a value of a column; undefined where it cannot. */
function fromColumn(constants: readonly string[], column: number, text: string): Condition[] | undefined {
  const token = firstToken(text);
  if (token === '') return undefined;
  if (token.length === text.length) return [{ column, piece: new Piece(token, false) }];
  const rest = fromConstant(constants, column + 1, text.slice(token.length));
  return rest && [{ column, piece: new Piece(token, true) }, ...rest];
}

/** Conditions under which a text begins with a constant, or a constant with the text. */
function fromConstant(constants: readonly string[], i: number, text: string): Condition[] | undefined {
  const constant = constants[i] as string;
  if (text.length <= constant.length) return constant.startsWith(text) ? [] : undefined;
  return text.startsWith(constant) && i < constants.length - 1
    ? fromColumn(constants, i, text.slice(constant.length))
    : undefined;
}
