// Decodes the stream in which an engine of containers sends the output of one. Without a terminal the stream has
// frames: a head of 8 bytes, then a line or a piece of one. With a terminal it has lines.
import { MAX_LINE_BYTES } from '@quarterdeck/core/lines';
import { LineSplitter, type RawLine } from './line-splitter.ts';

/** A line of the stream, or a piece of one. */
export interface EngineOutput {
  /** Without its time and its line break. */
  readonly bytes: Buffer;
  /** Bytes that are missing in `bytes`. */
  readonly lost: number;
  /** False where the line goes on in the next frame of its stream. */
  readonly isWhole: boolean;
  readonly stream: string;
  /** Unix time as 12 digits, a dot and 9 digits, so that texts compare as times; undefined where there is none. */
  readonly time: string | undefined;
}

/** Decodes chunks of the stream. */
export interface OutputDecoder {
  /** @throws Error when the chunk is no part of such a stream */
  push(chunk: Buffer): EngineOutput[];
  /** Returns the line without an end at the end of the stream. */
  end(): EngineOutput[];
}

/** A line that is stored, with the time before it. */
const KEPT_BYTES = MAX_LINE_BYTES + 128;
const HEAD_BYTES = 8;
/** Names of the streams; the last one has errors of the engine. */
const STREAMS = ['stdin', 'stdout', 'stderr', 'engine'];
/** Name of the stream with errors of the engine. */
export const ENGINE_STREAM = 'engine';
const NEWLINE = 0x0a;
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d) ?/;
const TIME_MAX_BYTES = 40;

/** Splits the time from a line. */
function splitTime(bytes: Buffer): { readonly time: string | undefined; readonly bytes: Buffer } {
  const [all = '', seconds, nanos = '', zone] = TIME.exec(bytes.toString('latin1', 0, TIME_MAX_BYTES)) ?? [];
  const timeMs = Date.parse(`${seconds}${zone}`);
  if (!(timeMs >= 0)) return { time: undefined, bytes };
  const time = `${String(timeMs / 1000).padStart(12, '0')}.${nanos.padEnd(9, '0')}`;
  return { time, bytes: bytes.subarray(all.length) };
}

/** Creates the decoder for the output of a container. */
export const createOutputDecoder = (hasTerminal: boolean): OutputDecoder =>
  hasTerminal ? new TerminalDecoder() : new FrameDecoder();

class TerminalDecoder implements OutputDecoder {
  readonly #splitter = new LineSplitter(0, Buffer.alloc(0), KEPT_BYTES);

  push(chunk: Buffer): EngineOutput[] {
    return this.#splitter.push(chunk).map(outputOf);
  }

  end(): EngineOutput[] {
    return this.#splitter.isInLine ? [outputOf(this.#splitter.end())] : [];
  }
}

const outputOf = ({ bytes, lost }: RawLine): EngineOutput => ({
  ...splitTime(bytes),
  lost,
  isWhole: true,
  stream: 'terminal',
});

class FrameDecoder implements OutputDecoder {
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #headLength = 0;
  /** Bytes of the frame that have not come. */
  #left = 0;
  #parts: Buffer[] = [];
  #kept = 0;
  #lost = 0;
  #lastByte = 0;

  push(chunk: Buffer): EngineOutput[] {
    const outputs: EngineOutput[] = [];
    for (let at = 0; at < chunk.length; ) {
      if (this.#headLength < HEAD_BYTES) {
        at += this.#readHead(chunk.subarray(at, at + HEAD_BYTES - this.#headLength));
        if (this.#headLength < HEAD_BYTES) break;
      }
      const part = chunk.subarray(at, at + this.#left);
      this.#keep(part);
      at += part.length;
      if (this.#left === 0) outputs.push(this.#take());
    }
    return outputs;
  }

  end(): EngineOutput[] {
    return [];
  }

  #readHead(part: Buffer): number {
    part.copy(this.#head, this.#headLength);
    this.#headLength += part.length;
    if (this.#headLength < HEAD_BYTES) return part.length;
    const [stream = 0, ...zeros] = this.#head.subarray(0, 4);
    if (STREAMS[stream] === undefined || zeros.some((byte) => byte !== 0)) throw new Error('a frame is damaged');
    this.#left = this.#head.readUInt32BE(4);
    return part.length;
  }

  #keep(bytes: Buffer): void {
    const part = bytes.subarray(0, KEPT_BYTES - this.#kept);
    // A copy: the chunk must not stay in memory for a piece of it.
    if (part.length > 0) this.#parts.push(Buffer.from(part));
    this.#kept += part.length;
    this.#lost += bytes.length - part.length;
    this.#left -= bytes.length;
    this.#lastByte = bytes.at(-1) ?? this.#lastByte;
  }

  #take(): EngineOutput {
    const isWhole = this.#lastByte === NEWLINE;
    const all = Buffer.concat(this.#parts);
    const lost = this.#lost;
    const [stream = ''] = STREAMS.slice(this.#head[0]);
    const { time, bytes } = splitTime(lost === 0 && isWhole ? all.subarray(0, -1) : all);
    this.#headLength = 0;
    this.#parts = [];
    this.#kept = 0;
    this.#lost = 0;
    this.#lastByte = 0;
    const withoutReturn = isWhole && lost === 0 && bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes;
    return { time, bytes: withoutReturn, lost, isWhole, stream };
  }
}
