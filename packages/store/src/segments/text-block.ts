// Texts of a segment that are compressed together.
import { decompress, decompressAll } from './damage.ts';
import { splitSections, toUint32 } from './sections.ts';
import { BLOCK_BYTES, startsOf } from './template-writer.ts';
import { compileSearch, type TextSearch } from './text-search.ts';

/** Texts in UTF-8, one after the other. */
export interface OpenTexts {
  readonly bytes: Buffer;
  /** Start of each text, and the end of the last one. */
  readonly starts: Uint32Array;
}

/** A search for texts, ASCII letters in any case, in block after block. */
export class LineSearch {
  readonly texts: readonly string[];
  readonly inTexts: TextSearch;

  constructor(texts: readonly string[]) {
    this.texts = texts;
    this.inTexts = compileSearch(texts);
  }
}

/** Texts that are compressed together. Its methods throw where the bytes are not those that were written. */
export interface TextBlock {
  /** Places of its lines, rising. A line's index among them is its row. */
  readonly places: Uint32Array;
  /** Reads what all texts need. */
  open(): void;
  text(row: number): string;
  /** All texts by row. */
  all(): OpenTexts;
  /** Calls `found` with each row, rising, that may have one of the texts. */
  search(search: LineSearch, found: (row: number) => void): void;
}

/** Texts as they are. */
export class PlainBlock implements TextBlock {
  readonly places: Uint32Array;
  readonly #read: () => OpenTexts;
  #open: OpenTexts | undefined;

  constructor(places: Uint32Array, read: () => OpenTexts) {
    this.places = places;
    this.#read = read;
  }

  open(): void {
    this.all();
  }

  all(): OpenTexts {
    this.#open ??= this.#read();
    return this.#open;
  }

  text(row: number): string {
    const { bytes, starts } = this.all();
    return bytes.toString('utf8', starts[row], starts[row + 1]);
  }

  search({ inTexts }: LineSearch, found: (row: number) => void): void {
    const { bytes, starts } = this.all();
    inTexts(bytes, starts, found);
  }
}

/** Reads texts with these lengths. */
export function readPlain(packed: Uint8Array, lengths: Uint32Array): OpenTexts {
  const starts = startsOf(lengths);
  return { bytes: decompressAll(packed, starts.at(-1) ?? 0), starts };
}

/** Reads `n` texts that stand behind the list of their lengths. */
export function readWithLengths(packed: Uint8Array, n: number): OpenTexts {
  const [lengths, bytes] = splitSections(decompress(packed, BLOCK_BYTES));
  const starts = startsOf(toUint32(lengths ?? new Uint8Array(0)));
  if (bytes === undefined || starts.length !== n + 1 || bytes.length !== starts.at(-1))
    throw new RangeError('the texts are not those of the lines');
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), starts };
}
