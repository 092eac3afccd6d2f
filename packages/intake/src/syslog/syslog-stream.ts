// The stream of one TCP connection. It is split in slices, so that a sender of many tiny lines does not delay others.
// Equal lines in a row are merged before any other work.
import { SyslogFraming } from './syslog-framing.ts';

/** Receives a message that arrived `times` times in a row. `bytes` is valid only during the call. */
export type OnMessages = (bytes: Uint8Array, lostBytes: number, times: number) => void;

/** Maximum length of a message that is compared with the previous one. */
const COMPARED_BYTES = 256;
/** Cost of a message besides its bytes, and of a repeated one. The unit is the search of one byte. */
const MESSAGE_COST = 256;
const REPEAT_COST = 16;

/** One stream: `add` appends bytes, `take` delivers a slice of their messages. */
export class SyslogStream {
  readonly #onMessages: OnMessages;
  readonly #framing: SyslogFraming;
  readonly #last = Buffer.alloc(COMPARED_BYTES);
  /** 0 without a message to compare with. */
  #lastLength = 0;
  #repeats = 0;
  #cost = 0;
  #rest: Uint8Array | undefined;

  constructor(onMessages: OnMessages) {
    this.#onMessages = onMessages;
    this.#framing = new SyslogFraming((bytes, lostBytes) => this.#frame(bytes, lostBytes));
  }

  /** True while bytes wait for `take`. */
  get isWaiting(): boolean {
    return this.#rest !== undefined;
  }

  /** Adds bytes. */
  add(chunk: Uint8Array): void {
    this.#rest = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
  }

  /**
   * Delivers messages until no bytes are left, their cost reaches `maxCost`, or `mayGoOn` returns false. Returns the
   * cost.
   */
  take(maxCost: number, mayGoOn: () => boolean): number {
    const rest = this.#rest;
    if (rest === undefined) return 0;
    this.#cost = 0;
    const taken = this.#framing.push(rest, () => this.#cost < maxCost && mayGoOn());
    this.#deliverRepeats();
    this.#rest = taken < rest.length ? rest.subarray(taken) : undefined;
    return this.#cost + taken;
  }

  /** Ends the stream: delivers the remaining messages, including an unterminated last one. */
  end(): void {
    if (this.#rest !== undefined) this.#framing.push(this.#rest);
    this.#rest = undefined;
    this.#framing.end();
    this.#deliverRepeats();
  }

  #frame(bytes: Uint8Array, lostBytes: number): void {
    if (this.#isRepeat(bytes)) {
      this.#repeats += 1;
      this.#cost += REPEAT_COST;
      return;
    }
    this.#deliverRepeats();
    this.#cost += MESSAGE_COST;
    this.#lastLength = bytes.length <= COMPARED_BYTES ? bytes.length : 0;
    if (this.#lastLength > 0) this.#last.set(bytes);
    this.#onMessages(bytes, lostBytes, 1);
  }

  #isRepeat(bytes: Uint8Array): boolean {
    const length = this.#lastLength;
    if (bytes.length !== length || length === 0) return false;
    for (let i = 0; i < length; i += 1) if (bytes[i] !== this.#last[i]) return false;
    return true;
  }

  #deliverRepeats(): void {
    const times = this.#repeats;
    this.#repeats = 0;
    if (times > 0) this.#onMessages(this.#last.subarray(0, this.#lastLength), 0, times);
  }
}
