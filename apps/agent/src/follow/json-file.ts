// Undoes the form in which Docker stores the output of a container (its driver `json-file`): each line is a JSON object
// with its text, stream and time. A long line is in several objects.
import { MAX_LINE_BYTES } from '@quarterdeck/core/lines';
import type { RawLine } from './line-splitter.ts';

/** Bytes that one object may have: 16 KiB of text, each escaped at worst, and the names around it. */
export const OBJECT_MAX_BYTES = 6 * 16 * 1024 + 4 * 1024;
const KEPT_BYTES = MAX_LINE_BYTES + 64;

/** Content of an object. */
interface Output {
  readonly text: string;
  readonly stream: string;
  /** Unix seconds. */
  readonly timeS: number | undefined;
}

function parse(bytes: Buffer): Output | undefined {
  try {
    const { log, stream, time } = JSON.parse(bytes.toString('utf8')) as Readonly<Record<string, unknown>>;
    if (typeof log !== 'string') return undefined;
    const timeMs = Date.parse(String(time));
    return { text: log, stream: String(stream), timeS: timeMs >= 0 ? Math.floor(timeMs / 1000) : undefined };
  } catch {
    return undefined;
  }
}

interface Held {
  readonly stream: string;
  readonly timeS: number | undefined;
  readonly parts: Buffer[];
  kept: number;
  lost: number;
  end: RawLine['end'];
  tail: RawLine['tail'];
}

/** Decodes the lines of one file. The beginning of a long line is held until its end. */
export class JsonFileDecoder {
  #held: Held | undefined;

  /** True while the beginning of a line is held. */
  get isHolding(): boolean {
    return this.#held !== undefined;
  }

  /** Adds an object and returns the lines that it completes. Anything else is a line as it is. */
  add(line: RawLine): RawLine[] {
    const output = line.lost === 0 ? parse(line.bytes) : undefined;
    if (output === undefined) return [...this.flush(), line];
    // The other stream may write in between; its line must not be behind the position of one that is not in a batch.
    const before = this.#held?.stream === output.stream ? [] : this.flush();
    this.#extend(output, line);
    return output.text.endsWith('\n') ? [...before, ...this.flush()] : before;
  }

  /** Ends the line that is held. */
  flush(): RawLine[] {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return [];
    const { parts, lost, end, tail, timeS } = held;
    return [{ bytes: Buffer.concat(parts), lost, end, tail, ...(timeS === undefined ? {} : { timeS }) }];
  }

  #extend({ text, stream, timeS }: Output, { end, tail }: RawLine): void {
    this.#held ??= { stream, timeS, parts: [], kept: 0, lost: 0, end, tail };
    const bytes = Buffer.from(text.replace(/\r?\n$/, ''));
    const part = bytes.subarray(0, Math.max(0, KEPT_BYTES - this.#held.kept));
    this.#held.parts.push(part);
    this.#held.kept += part.length;
    this.#held.lost += bytes.length - part.length;
    this.#held.end = end;
    this.#held.tail = tail;
  }
}
