// The stream of one TCP connection: taken apart a little at a time, so that nobody who sends much in tiny lines is served
// before others, and with equal lines in a row put together before anything is done with them.
import { SyslogFraming } from './syslog-framing.ts';

/** Takes a message that came `times` times in a row. `bytes` is valid only during the call; `lostBytes` were left out. */
export type OnMessages = (bytes: Uint8Array, lostBytes: number, times: number) => void;

/** Longer messages are not compared with the one before. */
const COMPARED_BYTES = 256;
/** Costs of a message beside its bytes, and of one that is only counted, in bytes that take as long to search. */
const MESSAGE_COST = 256;
const REPEAT_COST = 16;

/** One stream. Of what was added, `take` hands over some. */
export class SyslogStream {
  readonly #onMessages: OnMessages;
  readonly #framing: SyslogFraming;
  readonly #last = Buffer.alloc(COMPARED_BYTES);
  /** 0 where there is nothing to compare with. */
  #lastLength = 0;
  #repeats = 0;
  #cost = 0;
  #rest: Uint8Array | undefined;

  constructor(onMessages: OnMessages) {
    this.#onMessages = onMessages;
    this.#framing = new SyslogFraming((bytes, lostBytes) => this.#frame(bytes, lostBytes));
  }

  /** True while bytes wait that `take` has not reached. */
  get isWaiting(): boolean {
    return this.#rest !== undefined;
  }

  /** Adds bytes. */
  add(chunk: Uint8Array): void {
    this.#rest = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
  }

  /**
   * Takes messages until the bytes are used up, have cost `maxCost`, or `mayGoOn` says no; returns what they have cost, the
   * cost of a byte that is searched being 1.
   */
  take(maxCost: number, mayGoOn: () => boolean): number {
    const rest = this.#rest;
    if (rest === undefined) return 0;
    this.#cost = 0;
    const taken = this.#framing.push(rest, () => this.#cost < maxCost && mayGoOn());
    this.#tellRepeats();
    this.#rest = taken < rest.length ? rest.subarray(taken) : undefined;
    return this.#cost + taken;
  }

  /** The stream has ended: takes all that is left, the last message without its end included. */
  end(): void {
    if (this.#rest !== undefined) this.#framing.push(this.#rest);
    this.#rest = undefined;
    this.#framing.end();
    this.#tellRepeats();
  }

  #frame(bytes: Uint8Array, lostBytes: number): void {
    if (this.#isRepeat(bytes)) {
      this.#repeats += 1;
      this.#cost += REPEAT_COST;
      return;
    }
    this.#tellRepeats();
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

  #tellRepeats(): void {
    const times = this.#repeats;
    this.#repeats = 0;
    if (times > 0) this.#onMessages(this.#last.subarray(0, this.#lastLength), 0, times);
  }
}
