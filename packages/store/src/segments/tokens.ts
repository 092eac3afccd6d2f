// Splits a line into tokens and the bytes between them.

/** Stands for a token among the bytes between tokens, none of which is that large. */
const TOKEN = 0xff;
/** Lines with more tokens, or more bytes of a skeleton, get no template. */
const TOKENS_MAX = 255;
const SKELETON_MAX = 1_024;

/** Letters and numbers, the signs of names, addresses and numbers, and all that is not ASCII. */
const FIRST_TOKEN = /^[\w.%+~@\u0080-\uffff-]+/;
const OF_TOKEN = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte >= 0x80 || FIRST_TOKEN.test(String.fromCharCode(byte))),
);

/** Tells of each byte whether it is of a token and ASCII: 1 or 0. */
export const OF_ASCII_TOKEN = OF_TOKEN.map((isOfToken, byte) => (byte < 0x80 ? isOfToken : 0));

/** The token that a text begins with; empty where it begins with none. */
export const firstToken = (text: string): string => FIRST_TOKEN.exec(text)?.[0] ?? '';

/** The tokens of one line after the other. */
export class LineTokens {
  /** Places of the tokens of the line that was read last. */
  readonly starts = new Int32Array(TOKENS_MAX);
  readonly ends = new Int32Array(TOKENS_MAX);
  count = 0;
  /** Hash of its skeleton. */
  hash = 0;
  readonly #skeleton = Buffer.alloc(SKELETON_MAX);
  #size = 0;

  /** The bytes between the tokens, and a mark for each token. Lines with the same bytes have the same form. */
  get skeleton(): Buffer {
    return this.#skeleton.subarray(0, this.#size);
  }

  hasSkeleton(skeleton: Buffer): boolean {
    return skeleton.length === this.#size && skeleton.compare(this.#skeleton, 0, this.#size) === 0;
  }

  /** Reads a line; returns false where it has too many tokens. */
  read(bytes: Uint8Array, from: number, to: number): boolean {
    const { starts, ends } = this;
    const skeleton = this.#skeleton;
    let [count, size, hash] = [0, 0, 0x811c9dc5];
    for (let at = from; at < to; size += 1) {
      if (size === SKELETON_MAX) return false;
      let byte = bytes[at] as number;
      if (OF_TOKEN[byte] === 1) {
        if (count === TOKENS_MAX) return false;
        starts[count] = at;
        at += 1;
        while (at < to && OF_TOKEN[bytes[at] as number] === 1) at += 1;
        ends[count] = at;
        count += 1;
        byte = TOKEN;
      } else at += 1;
      skeleton[size] = byte;
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    [this.count, this.#size, this.hash] = [count, size, hash];
    return true;
  }
}
