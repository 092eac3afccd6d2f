// The normal form while it is written: one buffer for all, since a form is finished before another one begins.

/** A form ends behind the token that reaches this length: the beginning distinguishes errors. */
const FULL = 1024;
/** The maximum length of a single token. */
const MAX_TOKEN = 512;

const units = new Uint16Array(FULL + MAX_TOKEN);
const bytes = Buffer.from(units.buffer);

const SPACE = 0x20;
const NEWLINE = 0x0a;
const BRACKET = 0x5b;
const NUM = '<num>';

/** Collects UTF-16 units and returns the text. */
export class NormalForm {
  #length = 0;
  #lineStart = 0;
  /** Units before this are not removed. */
  #floor = 0;

  /** The written units, overwritten by the next form. */
  get units(): Uint16Array {
    return units;
  }

  get length(): number {
    return this.#length;
  }

  get isFull(): boolean {
    return this.#length >= FULL;
  }

  /** The last unit, a space at the beginning. */
  get last(): number {
    return this.#length === 0 ? SPACE : (units[this.#length - 1] ?? SPACE);
  }

  put(code: number): void {
    units[this.#length] = code;
    this.#length += 1;
  }

  write(text: string): void {
    let to = this.#length;
    for (let i = 0; i < text.length; i += 1) {
      units[to] = text.charCodeAt(i);
      to += 1;
    }
    this.#length = to;
  }

  copy(text: string, from: number, to: number): void {
    let at = this.#length;
    for (let i = from; i < to; i += 1) {
      units[at] = text.charCodeAt(i);
      at += 1;
    }
    this.#length = at;
  }

  /** Writes one space for any number of them, and none at the beginning of a line or of the kernel's `[   12.345]`. */
  blank(): void {
    const at = this.#length;
    if (at <= this.#lineStart) return;
    const last = units[at - 1];
    if (last === SPACE || last === BRACKET) return;
    units[at] = SPACE;
    this.#length = at + 1;
  }

  beginLine(): void {
    if (this.#length > 0) this.put(NEWLINE);
    this.#lineStart = this.#length;
    this.#floor = this.#length;
  }

  restartLine(): void {
    this.#length = this.#lineStart;
    this.#floor = this.#lineStart;
  }

  endLine(): void {
    while (this.#length > this.#lineStart && this.last === SPACE) this.#length -= 1;
  }

  /** Keeps everything written so far. */
  keep(): void {
    this.#floor = this.#length;
  }

  /** Removes a possible part of a mail address before its `@`: it begins with a letter or a number. */
  takeBackMailbox(isLetter: (code: number) => boolean, isMark: (code: number) => boolean): void {
    let start = this.#length;
    for (let at = start; at > this.#floor; ) {
      const code = units[at - 1] ?? SPACE;
      const isName = isLetter(code);
      const step = isName || isMark(code) ? 1 : this.#endsWithNumber(at) ? NUM.length : 0;
      if (step === 0 || at - step < this.#floor) break;
      at -= step;
      if (isName || step > 1) start = at;
    }
    this.#length = start;
  }

  #endsWithNumber(end: number): boolean {
    const start = end - NUM.length;
    for (let i = 0; i < NUM.length; i += 1) if (units[start + i] !== NUM.charCodeAt(i)) return false;
    return true;
  }

  toString(): string {
    return bytes.toString('utf16le', 0, this.#length * 2);
  }
}
