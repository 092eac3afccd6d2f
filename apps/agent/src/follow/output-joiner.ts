// Joins the pieces in which an engine of containers stores a long line.
import { MAX_LINE_BYTES } from '@quarterdeck/core/lines';
import type { RawLine } from './line-splitter.ts';

const KEPT_BYTES = MAX_LINE_BYTES + 64;

/** A line of a container, or a piece of one. */
export interface Output {
  /** Without its line break. */
  readonly bytes: Buffer;
  /** Bytes that are missing in `bytes`. */
  readonly lost: number;
  /** False where the line goes on in the next piece of its stream. */
  readonly isWhole: boolean;
  readonly stream: string;
  /** Unix seconds. */
  readonly timeS: number | undefined;
  /** As in {@link RawLine}. */
  readonly end: number;
  readonly tail: Buffer;
}

interface Held extends Pick<Output, 'stream' | 'timeS'> {
  readonly parts: Buffer[];
  kept: number;
  lost: number;
  end: number;
  tail: Buffer;
}

/** See the head of this file. The beginning of a long line is held until its end. */
export class OutputJoiner {
  #held: Held | undefined;

  /** True while the beginning of a line is held. */
  get isHolding(): boolean {
    return this.#held !== undefined;
  }

  /** Adds a piece and returns the lines that it completes. */
  add(output: Output): RawLine[] {
    // The other stream may write in between; its line must not be behind the position of one that is not in a batch.
    const before = this.#held?.stream === output.stream ? [] : this.flush();
    this.#extend(output);
    return output.isWhole ? [...before, ...this.flush()] : before;
  }

  /** Ends the line that is held. */
  flush(): RawLine[] {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return [];
    const { parts, lost, end, tail, timeS } = held;
    return [{ bytes: Buffer.concat(parts), lost, end, tail, ...(timeS === undefined ? {} : { timeS }) }];
  }

  #extend({ bytes, lost, stream, timeS, end, tail }: Output): void {
    this.#held ??= { stream, timeS, parts: [], kept: 0, lost: 0, end, tail };
    const part = bytes.subarray(0, Math.max(0, KEPT_BYTES - this.#held.kept));
    if (part.length > 0) this.#held.parts.push(part);
    this.#held.kept += part.length;
    this.#held.lost += lost + bytes.length - part.length;
    this.#held.end = end;
    this.#held.tail = tail;
  }
}
