// Reads the texts of a segment, in both forms: in blocks as they are, or by template.

import { sizesOf } from './column-reader.ts';
import { decompress, decompressAll } from './damage.ts';
import { splitSections, toUint16, toUint32 } from './sections.ts';
import { TemplateBlock } from './template-block.ts';
import { FORM_MARK, TEMPLATE_FORM, type TemplateHead } from './template-writer.ts';
import { PlainBlock, readPlain, readWithLengths, type TextBlock } from './text-block.ts';

/** The blocks of a segment, and where its lines are. */
export interface SegmentTexts {
  readonly blocks: readonly TextBlock[];
  /** By place: index of the block, and row in it. */
  readonly blockOf: Uint16Array;
  readonly rowOf: Uint32Array;
}

/** Reads the texts of `n` lines with `size` bytes. `lengths` tells the bytes of each text where the texts do not. */
export function readTexts(stored: Uint8Array, n: number, size: number, lengths: () => Uint32Array): SegmentTexts {
  const [first, ...rest] = splitSections(stored) as [Uint8Array, ...Uint8Array[]];
  const numbers = toUint32(first);
  const [mark, form] = numbers;
  if (mark !== FORM_MARK) return readBlocks(numbers, rest, lengths());
  if (form !== TEMPLATE_FORM) throw new RangeError('the texts have an unknown form: a newer version wrote them');
  return readTemplates(rest, n, size);
}

/** `sizes` are numbers of lines. */
function readBlocks(sizes: Uint32Array, packed: readonly Uint8Array[], lengths: Uint32Array): SegmentTexts {
  const n = lengths.length;
  if (sizes.reduce((sum, size) => sum + size, 0) !== n || sizes.length !== packed.length)
    throw new RangeError('lines have no text');
  const [blockOf, rowOf] = [new Uint16Array(n), new Uint32Array(n)];
  let from = 0;
  const blocks = packed.map((part, i) => {
    const first = from;
    from += sizes[i] as number;
    blockOf.fill(i, first, from);
    const places = Uint32Array.from({ length: from - first }, (_, row) => first + row);
    for (const place of places) rowOf[place] = place - first;
    return new PlainBlock(places, () => readPlain(part, lengths.subarray(first, first + places.length)));
  });
  return { blocks, blockOf, rowOf };
}

function readTemplates(sections: readonly Uint8Array[], n: number, size: number): SegmentTexts {
  const [packedHead, packedBlockOf, ...packed] = sections as [Uint8Array, Uint8Array, ...Uint8Array[]];
  const [json, words] = splitSections(decompress(packedHead)) as [Uint8Array, Uint8Array];
  const heads = JSON.parse(Buffer.from(json).toString()) as TemplateHead[];
  const blockOf =
    packedBlockOf.length === 0
      ? new Uint16Array(n)
      : toUint16(decompressAll(packedBlockOf, n * Uint16Array.BYTES_PER_ELEMENT));
  const { places, rowOf } = rowsOf(blockOf, packed.length);
  let at = 0;
  const blocks = packed.map((part, i): TextBlock => {
    const own = places[i] as Uint32Array;
    const head = heads[i];
    if (head === undefined) return new PlainBlock(own, () => readWithLengths(part, own.length));
    const from = at;
    at += head.columns.reduce((sum, form) => sum + sizesOf(form, head.n).words, 0);
    if (head.bytes > size) throw new RangeError('a template has more bytes than all lines');
    return new TemplateBlock(head, Buffer.from(words.buffer, words.byteOffset + from, at - from), part, own);
  });
  if (at !== words.length) throw new RangeError('the words are not those of the columns');
  return { blocks, blockOf, rowOf };
}

/** The places of each block, and by place the row. */
function rowsOf(blockOf: Uint16Array, blocks: number): { readonly places: Uint32Array[]; readonly rowOf: Uint32Array } {
  const counts = new Uint32Array(blocks);
  for (const block of blockOf) {
    if (block >= blocks) throw new RangeError('a line is in no block');
    counts[block] = (counts[block] as number) + 1;
  }
  const places = Array.from(counts, (count) => new Uint32Array(count));
  const rowOf = new Uint32Array(blockOf.length);
  counts.fill(0);
  for (let place = 0; place < blockOf.length; place += 1) {
    const block = blockOf[place] as number;
    const row = counts[block] as number;
    (places[block] as Uint32Array)[row] = place;
    rowOf[place] = row;
    counts[block] = row + 1;
  }
  return { places, rowOf };
}
