// Undoes the forms in which engines of containers store output in files: Docker's driver `json-file`, and CRI, which
// containerd, CRI-O and podman write. Lines of any other form stay as they are.
import type { LineFormat } from '../settings/followed-files.ts';
import { parseCri } from './cri-line.ts';
import { parseJsonFile } from './json-file.ts';
import type { RawLine } from './line-splitter.ts';
import { type Output, OutputJoiner } from './output-joiner.ts';

/** A line or a piece of one, without its place in the file. */
export type StoredOutput = Omit<Output, 'end' | 'tail'>;

const OPEN_BRACE = 0x7b;
const ZERO = 0x30;
const NINE = 0x39;
/** Lines of other streams that wait for the end of a piece; engines write the pieces of a line in a row. */
const WAITING_MAX = 256;

/**
 * Decodes the lines of one file. The beginning of a long line is held until its end, and so are the lines that other
 * streams write meanwhile: the position in the file must not be behind a line that is in no batch.
 */
export class StoredOutputDecoder {
  readonly #format: LineFormat | undefined;
  /** Held beginnings of lines by their streams. */
  readonly #joiners = new Map<string, OutputJoiner>();
  #waiting: RawLine[] = [];

  /** Without a format each line shows its own. */
  constructor(format?: LineFormat) {
    this.#format = format;
  }

  /** True while the beginning of a line is held. */
  get isHolding(): boolean {
    return this.#joiners.size > 0;
  }

  /** Adds a line of the file and returns the lines of output that it completes. */
  add(line: RawLine): RawLine[] {
    const output = line.lost === 0 ? this.#parse(line.bytes) : undefined;
    if (output === undefined) return this.isHolding ? [...this.flush(), line] : [line];
    const { stream } = output;
    const joiner = this.#joiners.get(stream) ?? new OutputJoiner();
    const lines = joiner.add({ ...output, end: line.end, tail: line.tail });
    if (joiner.isHolding) this.#joiners.set(stream, joiner);
    else this.#joiners.delete(stream);
    const streamed = lines.map((one) => ({ ...one, stream }));
    if (!this.isHolding && this.#waiting.length === 0) return streamed;
    this.#waiting.push(...streamed);
    return this.#waiting.length >= WAITING_MAX ? this.flush() : this.#release();
  }

  /** Ends the lines that are held. */
  flush(): RawLine[] {
    for (const [stream, joiner] of this.#joiners) {
      this.#waiting.push(...joiner.flush().map((line) => ({ ...line, stream })));
    }
    this.#joiners.clear();
    return this.#release();
  }

  /** Returns the lines that wait, once no beginning is held. The last one has the position behind all of them. */
  #release(): RawLine[] {
    if (this.isHolding) return [];
    const lines = this.#waiting;
    this.#waiting = [];
    const last = lines.reduce((far, line) => (line.end > far.end ? line : far), lines[0] ?? NOTHING);
    const { end, tail } = last;
    return lines.map((line, at) => ({ ...line, end, tail, ...(at < lines.length - 1 ? { isBound: true } : {}) }));
  }

  #parse(bytes: Buffer): StoredOutput | undefined {
    const first = bytes[0] ?? 0;
    if (this.#format !== undefined || first === OPEN_BRACE) return parseJsonFile(bytes, this.#format !== undefined);
    return first >= ZERO && first <= NINE ? parseCri(bytes) : undefined;
  }
}

const NOTHING: RawLine = { bytes: Buffer.alloc(0), lost: 0, end: 0, tail: Buffer.alloc(0) };
