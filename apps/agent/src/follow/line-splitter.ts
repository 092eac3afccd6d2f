// Bytes of a file, chunk by chunk, into lines. Memory is bounded however long a line is.
import { MAX_LINE_BYTES } from '@quarterdeck/core/lines';
import { TAIL_BYTES } from './checkpoint.ts';

/** A line as it stands in the file. */
export interface RawLine {
  /** Without its line break; only the beginning of a line that is longer than any line is stored. */
  readonly bytes: Buffer;
  /** Bytes of the line that are not in `bytes`. */
  readonly lost: number;
  /** Where the next line begins, in bytes from the start of the file. */
  readonly end: number;
  /** The last bytes before `end`. */
  readonly tail: Buffer;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** Somewhat more than is stored, so that the cut is made, and marked, in one place: `cleanText`. */
const KEPT_BYTES = MAX_LINE_BYTES + 64;

const lastOf = (bytes: Buffer): Buffer => Buffer.from(bytes.subarray(-TAIL_BYTES));

/** See the head of this file. */
export class LineSplitter {
  #at: number;
  /** The last bytes before `at`. */
  #tail: Buffer;
  /** The beginning of a line whose end was not read yet. */
  #parts: Buffer[] = [];
  #kept = 0;
  #lost = 0;

  /** Begins at `at`, which is where a line begins; `tail` are the bytes before. */
  constructor(at: number, tail: Buffer) {
    this.#at = at;
    this.#tail = tail;
  }

  /** Where the next chunk begins. */
  get at(): number {
    return this.#at;
  }

  /** Whether a line has begun and not ended. */
  get isInLine(): boolean {
    return this.#kept > 0;
  }

  /** The lines that end in this chunk, which is the next one. The lines hold no part of the chunk. */
  push(chunk: Buffer): RawLine[] {
    const lines: RawLine[] = [];
    for (let start = 0; start < chunk.length; ) {
      // What a program that does not append leaves in front of its text when its file is truncated under it.
      while (this.#kept === 0 && chunk[start] === 0) start += 1;
      const newline = chunk.indexOf(NEWLINE, start);
      this.#keep(chunk.subarray(start, newline < 0 ? chunk.length : newline));
      if (newline < 0) break;
      start = newline + 1;
      lines.push(this.#take(this.#at + start, this.#tailAt(chunk, start)));
    }
    this.#tail = this.#tailAt(chunk, chunk.length);
    this.#at += chunk.length;
    return lines;
  }

  /** The line that has begun, as if it ended here; for a file that nobody writes to any more. */
  end(): RawLine {
    return this.#take(this.#at, this.#tail);
  }

  #tailAt(chunk: Buffer, end: number): Buffer {
    return end >= TAIL_BYTES
      ? lastOf(chunk.subarray(0, end))
      : lastOf(Buffer.concat([this.#tail, chunk.subarray(0, end)]));
  }

  #keep(bytes: Buffer): void {
    const kept = Math.min(bytes.length, KEPT_BYTES - this.#kept);
    if (kept > 0) this.#parts.push(Buffer.from(bytes.subarray(0, kept)));
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
