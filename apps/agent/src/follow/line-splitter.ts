// Splits a file into lines, chunk by chunk. Memory is bounded for lines of any length.
import { MAX_LINE_BYTES } from '@quarterdeck/core/lines';
import { TAIL_BYTES } from './checkpoint.ts';

/** A line of the file. */
export interface RawLine {
  /** Without its line break, and cut somewhat above the maximum length of a stored line. */
  readonly bytes: Buffer;
  /** Bytes of the line that are missing in `bytes`. */
  readonly lost: number;
  /** Offset of the next line in the file. */
  readonly end: number;
  /** The last bytes before `end`. */
  readonly tail: Buffer;
  /** Unix seconds at which the line was written, where the form of the file tells. */
  readonly timeS?: number;
  /** Stream of a container that wrote the line. */
  readonly stream?: string;
  /** The position behind the line is inside of the line after it: both must be in one batch. */
  readonly isBound?: boolean;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** A little more than is stored, so that only `cleanText` cuts and marks the cut. */
const KEPT_BYTES = MAX_LINE_BYTES + 64;

export class LineSplitter {
  #at: number;
  /** The last bytes before `at`. */
  #tail: Buffer;
  /** The beginning of an incomplete line. */
  #parts: Buffer[] = [];
  #kept = 0;
  #lost = 0;
  readonly #keptBytes: number;

  /** Begins at `at`, the start of a line; `tail` holds the bytes before it. Longer lines than `keptBytes` are cut. */
  constructor(at: number, tail: Buffer, keptBytes = KEPT_BYTES) {
    this.#at = at;
    this.#tail = tail;
    this.#keptBytes = keptBytes;
  }

  /** Offset of the next chunk. */
  get at(): number {
    return this.#at;
  }

  /** True while a line is incomplete. */
  get isInLine(): boolean {
    return this.#kept > 0;
  }

  /**
   * Takes the next chunk and returns the lines that end in it. The lines reference a copy of the chunk: one copy for
   * all of them costs less than one for each.
   */
  push(bytes: Buffer): RawLine[] {
    const chunk = Buffer.from(bytes);
    const lines: RawLine[] = [];
    for (let start = 0; start < chunk.length; ) {
      // A program that does not append leaves NUL bytes before its text when its file is truncated.
      while (this.#kept === 0 && chunk[start] === 0) start += 1;
      const newline = chunk.indexOf(NEWLINE, start);
      if (newline < 0) {
        // It waits for its end, and must not hold the whole chunk meanwhile.
        this.#keep(Buffer.from(chunk.subarray(start)));
        break;
      }
      this.#keep(chunk.subarray(start, newline));
      start = newline + 1;
      lines.push(this.#take(this.#at + start, this.#tailAt(chunk, start)));
    }
    this.#tail = Buffer.from(this.#tailAt(chunk, chunk.length));
    this.#at += chunk.length;
    return lines;
  }

  /** Ends the incomplete line, for a file that nobody writes to any more. */
  end(): RawLine {
    return this.#take(this.#at, this.#tail);
  }

  #tailAt(chunk: Buffer, end: number): Buffer {
    return end >= TAIL_BYTES
      ? chunk.subarray(end - TAIL_BYTES, end)
      : Buffer.concat([this.#tail, chunk.subarray(0, end)]).subarray(-TAIL_BYTES);
  }

  #keep(bytes: Buffer): void {
    const kept = Math.min(bytes.length, this.#keptBytes - this.#kept);
    if (kept > 0) this.#parts.push(kept === bytes.length ? bytes : bytes.subarray(0, kept));
    this.#kept += kept;
    this.#lost += bytes.length - kept;
  }

  #take(end: number, tail: Buffer): RawLine {
    const line = this.#parts.length === 1 && this.#parts[0] ? this.#parts[0] : Buffer.concat(this.#parts);
    const lost = this.#lost;
    this.#parts = [];
    this.#kept = 0;
    this.#lost = 0;
    const bytes = line.at(-1) === RETURN && lost === 0 ? line.subarray(0, -1) : line;
    return { bytes, lost, end, tail };
  }
}
