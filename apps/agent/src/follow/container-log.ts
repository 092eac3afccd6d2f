// Reads the output of one container, from a position on.
import { z } from 'zod';
import { createOutputDecoder, ENGINE_STREAM, type EngineOutput, type OutputDecoder } from './container-output.ts';
import { type Entry, EntryJoiner } from './entry-joiner.ts';
import type { RawLine } from './line-splitter.ts';
import { OutputJoiner } from './output-joiner.ts';

/**
 * Position in the output of a container. Its engine knows no other than the time. Two streams may swap neighbouring
 * lines, so all lines from the first one with the highest time are counted.
 */
export const OutputPosition = z.object({
  /** Highest time so far, as in {@link EngineOutput}. */
  time: z.string().regex(/^\d{12}\.\d{9}$/),
  /** Lines and pieces of lines from the first one with this time. */
  lines: z.int().min(1),
});
export type OutputPosition = z.output<typeof OutputPosition>;

/** An entry with the position behind it. Undefined for blank lines. */
export interface ReadOutput {
  readonly entry: Entry | undefined;
  readonly position: OutputPosition;
  /** True where the engine no longer had the last line that was read before; those after it may be lost too. */
  readonly isAfterLoss: boolean;
}

const NO_BYTES = Buffer.alloc(0);
const SECONDS_DIGITS = 12;
const NO_TIME = `${'0'.repeat(SECONDS_DIGITS)}.${'0'.repeat(9)}`;

/** Decodes one stream of an engine. */
export class ContainerLog {
  readonly #decoder: OutputDecoder;
  readonly #outputs = new OutputJoiner();
  readonly #joiner = new EntryJoiner();
  /** Position of an earlier stream, behind which this one is read. */
  readonly #start: OutputPosition | undefined;
  /** Lines to skip; undefined before the first line with the time of the start. */
  #skip: number | undefined;
  #isSkipping: boolean;
  #position: OutputPosition | undefined;
  /** Number of the last line or piece. */
  #number = 0;
  /** Positions behind the lines of entries that are held, by their numbers. */
  readonly #positions = new Map<number, OutputPosition>();
  readonly #onEngineError: (text: string) => void;
  /** True until the first entry after a loss. */
  #isAfterLoss = false;

  constructor(start: OutputPosition | undefined, hasTerminal: boolean, onEngineError: (text: string) => void) {
    this.#start = start;
    this.#position = start;
    this.#isSkipping = start !== undefined;
    this.#decoder = createOutputDecoder(hasTerminal);
    this.#onEngineError = onEngineError;
  }

  /** True while an entry waits for its end or for the next line. */
  get isHolding(): boolean {
    return this.#outputs.isHolding || this.#joiner.isHolding;
  }

  /**
   * Takes the next chunk and returns the entries that it completes.
   *
   * @throws Error when the chunk is no part of such a stream
   */
  push(chunk: Buffer): ReadOutput[] {
    return this.#decoder.push(chunk).flatMap((output) => this.#add(output));
  }

  /** Returns the entry that waits for the next line; at the end of the stream also a line without its end. */
  flush(isEnd: boolean): ReadOutput[] {
    const rest = isEnd ? this.#decoder.end().flatMap((output) => this.#add(output)) : [];
    const lines = isEnd ? this.#outputs.flush() : [];
    for (const { end } of lines) this.#note(end, this.#position);
    const entries = [...lines.map((line) => this.#joiner.add(line)), this.#joiner.flush()];
    return [...rest, ...entries.flatMap((entry) => this.#read(entry))];
  }

  #add({ bytes, lost, isWhole, stream, time: given }: EngineOutput): ReadOutput[] {
    if (stream === ENGINE_STREAM) {
      this.#onEngineError(bytes.toString('utf8'));
      return [];
    }
    const before = this.#position;
    const time = given ?? before?.time ?? NO_TIME;
    if (this.#isOld(time)) return [];
    this.#position =
      before === undefined || time > before.time ? { time, lines: 1 } : { ...before, lines: before.lines + 1 };
    this.#number += 1;
    const timeS = given === undefined ? undefined : Number(given.slice(0, SECONDS_DIGITS));
    const output = { bytes, lost, isWhole, stream, timeS, end: this.#number, tail: NO_BYTES };
    const entries = this.#outputs.add(output).flatMap((line: RawLine) => {
      this.#note(line.end, line.end === this.#number ? this.#position : before);
      return this.#read(this.#joiner.add(line));
    });
    if (this.isHolding || entries.length > 0) return entries;
    this.#positions.clear();
    return this.#output(undefined, this.#position);
  }

  #note(number: number, position: OutputPosition | undefined): void {
    if (position !== undefined) this.#positions.set(number, position);
  }

  #read(entry: Entry | undefined): ReadOutput[] {
    const position = entry && this.#positions.get(entry.end);
    if (entry === undefined || position === undefined) return [];
    for (const number of this.#positions.keys()) if (number <= entry.end) this.#positions.delete(number);
    return this.#output(entry, position);
  }

  #output(entry: Entry | undefined, position: OutputPosition): ReadOutput[] {
    const isAfterLoss = this.#isAfterLoss;
    this.#isAfterLoss = false;
    return [{ entry, position, isAfterLoss }];
  }

  /** Reports whether a line is at the start or before it. The engine sends some of those again. */
  #isOld(time: string): boolean {
    if (!this.#isSkipping || this.#start === undefined) return false;
    if (time > this.#start.time) {
      this.#isAfterLoss = this.#skip === undefined;
      this.#isSkipping = false;
      return false;
    }
    if (this.#skip === undefined && time < this.#start.time) return true;
    this.#skip ??= this.#start.lines;
    if (this.#skip === 0) {
      this.#isSkipping = false;
      return false;
    }
    this.#skip -= 1;
    return true;
  }
}
