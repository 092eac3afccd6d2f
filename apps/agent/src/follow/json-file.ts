// Undoes the form in which Docker stores the output of a container (its driver `json-file`): each line is a JSON object
// with its text, stream and time. A long line is in several objects.
import type { RawLine } from './line-splitter.ts';
import { type Output, OutputJoiner } from './output-joiner.ts';

/** Bytes that one object may have: 16 KiB of text, each escaped at worst, and the names around it. */
export const OBJECT_MAX_BYTES = 6 * 16 * 1024 + 4 * 1024;

function parse(bytes: Buffer): Omit<Output, 'end' | 'tail'> | undefined {
  try {
    const { log, stream, time } = JSON.parse(bytes.toString('utf8')) as Readonly<Record<string, unknown>>;
    if (typeof log !== 'string') return undefined;
    const timeMs = Date.parse(String(time));
    return {
      bytes: Buffer.from(log.replace(/\r?\n$/, '')),
      lost: 0,
      isWhole: log.endsWith('\n'),
      stream: String(stream),
      timeS: timeMs >= 0 ? Math.floor(timeMs / 1000) : undefined,
    };
  } catch {
    return undefined;
  }
}

/** Decodes the lines of one file. The beginning of a long line is held until its end. */
export class JsonFileDecoder {
  readonly #joiner = new OutputJoiner();

  /** True while the beginning of a line is held. */
  get isHolding(): boolean {
    return this.#joiner.isHolding;
  }

  /** Adds an object and returns the lines that it completes. Anything else is a line as it is. */
  add(line: RawLine): RawLine[] {
    const output = line.lost === 0 ? parse(line.bytes) : undefined;
    if (output === undefined) return [...this.flush(), line];
    return this.#joiner.add({ ...output, end: line.end, tail: line.tail });
  }

  /** Ends the line that is held. */
  flush(): RawLine[] {
    return this.#joiner.flush();
  }
}
