// Splits a TCP stream into syslog messages (RFC 6587), without sockets and with the memory of at most one frame.

/** Receives a message. `bytes` is valid only during the call; `lostBytes` is the number of bytes cut off at its end. */
export type OnFrame = (bytes: Uint8Array, lostBytes: number) => void;

/** Length at which a message is truncated; the rest is skipped. */
export const MAX_FRAME_BYTES = 65_536;

const LF = 0x0a;
const CR = 0x0d;
const NUL = 0x00;
const SPACE = 0x20;
const LESS = 0x3c;
const GREATER = 0x3e;
/** A number with more digits is not a count but the beginning of a text. */
const MAX_COUNT_DIGITS = 7;
const MAX_PRIORITY_DIGITS = 3;
const MAX_PRIORITY = 191;

const BETWEEN = 0;
const COUNT = 1;
const LINE = 2;
const OCTETS = 3;

/**
 * Reads both framings of RFC 6587, also mixed on one connection. `MSG-LEN SP <PRI>` is octet counting (3.4.1); any
 * other message ends at the next LF or NUL (3.4.2). A whole priority is required, so that a text such as `54 <1 minute`
 * does not swallow the next messages. Empty messages are skipped. The frames do not depend on the chunks of the stream.
 */
export class SyslogFraming {
  readonly #onFrame: OnFrame;
  readonly #maxBytes: number;
  #state = BETWEEN;
  #held = Buffer.alloc(0);
  #length = 0;
  #lost = 0;
  /** In the state OCTETS: number of missing bytes of the message. */
  #missing = 0;
  /** In the state COUNT: index of the space behind the digits, or 0. */
  #blankAt = 0;

  constructor(onFrame: OnFrame, maxBytes = MAX_FRAME_BYTES) {
    this.#onFrame = onFrame;
    this.#maxBytes = maxBytes;
  }

  /**
   * Reads the next bytes of the stream and returns the number of read bytes. It calls `goesOn` after each message and
   * stops if the result is false; push the remaining bytes again.
   */
  push(chunk: Uint8Array, goesOn: () => boolean = () => true): number {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    // Search again only after the position was passed: a search of the rest for each line would be quadratic.
    let lf = bytes.indexOf(LF);
    let nul = bytes.indexOf(NUL);
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === BETWEEN) {
        at = this.#begin(bytes, at);
      } else if (this.#state === COUNT) {
        at = this.#count(bytes, at);
      } else if (this.#state === OCTETS) {
        const end = Math.min(bytes.length, at + this.#missing);
        this.#missing -= end - at;
        const isWhole = this.#missing === 0;
        if (isWhole) this.#finish(bytes, at, end);
        else this.#hold(bytes, at, end);
        at = end;
        if (isWhole && !goesOn()) return at;
      } else {
        if (lf >= 0 && lf < at) lf = bytes.indexOf(LF, at);
        if (nul >= 0 && nul < at) nul = bytes.indexOf(NUL, at);
        const boundary = lf < 0 ? nul : nul < 0 ? lf : Math.min(lf, nul);
        if (boundary < 0) this.#hold(bytes, at, bytes.length);
        else this.#finish(bytes, at, boundary);
        at = boundary < 0 ? bytes.length : boundary + 1;
        if (boundary >= 0 && !goesOn()) return at;
      }
    }
    return at;
  }

  /** Ends the stream: the rest of the last message is a message too. */
  end(): void {
    this.#finish(this.#held, 0, 0);
    this.#held = Buffer.alloc(0);
  }

  #begin(bytes: Buffer, at: number): number {
    const code = bytes[at];
    if (code === LF || code === CR || code === NUL) return at + 1;
    this.#state = code !== undefined && code >= 0x31 && code <= 0x39 ? COUNT : LINE;
    return at;
  }

  /** Reads digits, a space and a whole `<PRI>`. Otherwise the bytes are the beginning of a line. */
  #count(bytes: Buffer, at: number): number {
    const code = bytes[at] ?? NUL;
    const isDigit = code >= 0x30 && code <= 0x39;
    const priority = this.#length - this.#blankAt - 1;
    if (this.#blankAt === 0) {
      if (code === SPACE) this.#blankAt = this.#length;
      else if (!isDigit || this.#length >= MAX_COUNT_DIGITS) return this.#beLine(at);
    } else if (priority === 0 ? code !== LESS : !isDigit || priority > MAX_PRIORITY_DIGITS) {
      return code === GREATER && priority > 1 ? this.#beginOctets(at) : this.#beLine(at);
    }
    this.#hold(bytes, at, at + 1);
    return at + 1;
  }

  #beLine(at: number): number {
    this.#blankAt = 0;
    this.#state = LINE;
    return at;
  }

  /** The count is read, and `<` and the digits of the priority behind it. `at` is its `>`. */
  #beginOctets(at: number): number {
    const count = Number(this.#held.toString('latin1', 0, this.#blankAt));
    const from = this.#blankAt + 1;
    const read = this.#length - from;
    if (Number(this.#held.toString('latin1', from + 1, this.#length)) > MAX_PRIORITY || count <= read) {
      return this.#beLine(at);
    }
    this.#held.copyWithin(0, from, this.#length);
    this.#length = read;
    this.#missing = count - read;
    this.#blankAt = 0;
    this.#state = OCTETS;
    return at;
  }

  #hold(bytes: Buffer, from: number, to: number): void {
    const kept = Math.min(to - from, this.#maxBytes - this.#length);
    this.#lost += to - from - kept;
    if (this.#length + kept > this.#held.length) {
      const room = Math.min(Math.max(256, this.#length + kept, this.#held.length * 2), Math.max(16, this.#maxBytes));
      const grown = Buffer.allocUnsafe(room);
      this.#held.copy(grown, 0, 0, this.#length);
      this.#held = grown;
    }
    bytes.copy(this.#held, this.#length, from, from + kept);
    this.#length += kept;
  }

  #finish(bytes: Buffer, from: number, to: number): void {
    const whole = this.#length === 0 && to - from <= this.#maxBytes;
    if (!whole) this.#hold(bytes, from, to);
    const frame = whole ? bytes.subarray(from, to) : this.#held.subarray(0, this.#length);
    const counted = this.#state === OCTETS;
    const lost = this.#lost;
    this.#state = BETWEEN;
    this.#length = 0;
    this.#lost = 0;
    this.#missing = 0;
    this.#blankAt = 0;
    const end = !counted && lost === 0 && frame[frame.length - 1] === CR ? frame.length - 1 : frame.length;
    if (end > 0) this.#onFrame(frame.subarray(0, end), lost);
    // Release the memory of a long message.
    if (this.#held.length > 4096) this.#held = Buffer.alloc(0);
  }
}
