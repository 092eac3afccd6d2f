// The normal form while it is written: one buffer for all, since a form is finished before another one begins.
import { isQuote } from './characters.ts';

/** A form ends behind the token that reaches this length: the beginning distinguishes errors. */
const FULL = 1024;
/** The maximum length of a single token. */
const MAX_TOKEN = 512;

const units = new Uint16Array(FULL + MAX_TOKEN);

const SPACE = 0x20;
const NEWLINE = 0x0a;
const BRACKET = 0x5b;
const COMMA = 0x2c;
const SLASH = 0x2f;
/** The end of a placeholder. */
const CLOSE = 0x3e;
const NUM = '<num>';
const ADDRESS = '<ip>';

/** Collects UTF-16 units and returns the text. */
export class NormalForm {
  #length = 0;
  #lineStart = 0;
  /** Units before this are not removed. */
  #floor = 0;

  /** Beginning of the last token, and of the one before it on its line or -1, see {@link #foldRepeated}. */
  #tokenStart = 0;
  #tokenBefore = -1;

  /** True if the last token has a slash, as a path and a URL do. */
  hasSlash = false;

  /** Begins another form. */
  begin(): void {
    this.#length = 0;
    this.#lineStart = 0;
    this.restartLine();
  }

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

  /** True if nothing is written on this line. */
  get isAtLineStart(): boolean {
    return this.#length === this.#lineStart;
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
    if (last === COMMA || last === CLOSE) this.#foldRepeated();
    units[this.#length] = SPACE;
    this.#length += 1;
    this.#tokenBefore = this.#tokenStart;
    this.#tokenStart = this.#length;
    this.hasSlash = false;
  }

  /**
   * Removes the last token if it equals the one before it, but for commas: `blk_<num> blk_<num>` is a list, whose
   * length differs. Numbers and addresses alone stay, since their count tells one line from another.
   */
  #foldRepeated(): void {
    const before = this.#tokenBefore;
    const start = this.#tokenStart;
    const end = this.#length;
    const to = units[end - 1] === COMMA ? end - 1 : end;
    if (before < this.#lineStart || units[to - 1] !== CLOSE || this.endsWith(ADDRESS, to)) return;
    const length = to - start;
    const lengthBefore = (units[start - 2] === COMMA ? start - 2 : start - 1) - before;
    if (length !== lengthBefore || this.endsWith(NUM, start + NUM.length)) return;
    for (let i = 0; i < length; i += 1) {
      const code = units[start + i] ?? SPACE;
      if (code !== units[before + i] || isQuote(code)) return;
    }
    units.copyWithin(before, start, end);
    this.#length = before + end - start;
    this.#tokenStart = before;
    this.#tokenBefore = -1;
  }

  beginLine(): void {
    if (this.#length > 0) this.put(NEWLINE);
    this.#lineStart = this.#length;
    this.restartLine();
  }

  restartLine(): void {
    this.#length = this.#lineStart;
    this.#floor = this.#lineStart;
    this.#tokenStart = this.#lineStart;
    this.#tokenBefore = -1;
    this.hasSlash = false;
  }

  endLine(): void {
    if (this.last !== SPACE) this.#foldRepeated();
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
      const step = isName || isMark(code) ? 1 : this.endsWith(NUM, at) ? NUM.length : 0;
      if (step === 0 || at - step < this.#floor) break;
      at -= step;
      if (isName || step > 1) start = at;
    }
    this.#length = start;
  }

  /** The unit at an index, a space before the beginning. */
  unit(at: number): number {
    return at < 0 ? SPACE : (units[at] ?? SPACE);
  }

  /** Tells whether `text` ends at `end`. */
  endsWith(text: string, end: number): boolean {
    const start = end - text.length;
    for (let i = 0; i < text.length; i += 1) if (units[start + i] !== text.charCodeAt(i)) return false;
    return start >= 0;
  }

  /** Returns the word that ends at `end`, or before the space there. */
  wordBefore(end: number): string {
    const to = this.unit(end - 1) === SPACE ? end - 1 : end;
    let from = to;
    while (this.unit(from - 1) > SPACE) from -= 1;
    return this.slice(from, to);
  }

  slice(from: number, to: number): string {
    return String.fromCharCode(...units.subarray(from, to));
  }

  /** Removes everything from `length` on, which is in the last token or in the blank before it. */
  cut(length: number): void {
    this.#length = length;
    if (length >= this.#tokenStart) return;
    this.#tokenStart = Math.max(this.#tokenBefore, this.#lineStart);
    this.#tokenBefore = -1;
    this.hasSlash = units.subarray(this.#tokenStart, length).includes(SLASH);
  }

  /** Replaces `from` to `to` by a shorter or equally long text. */
  replace(from: number, to: number, text: string): void {
    const by = text.length - (to - from);
    units.copyWithin(to + by, to, this.#length);
    for (let i = 0; i < text.length; i += 1) units[from + i] = text.charCodeAt(i);
    this.#length += by;
    if (this.#tokenStart >= to) this.#tokenStart += by;
    if (this.#tokenBefore >= to) this.#tokenBefore += by;
  }

  toString(): string {
    return this.slice(0, this.#length);
  }
}
