// Walks over a text once and writes its normal form. The rules are described at `normalForm`.
//
// The normal form of a normal form must be itself, so each decision depends only on what the form still shows: whether
// a word or a placeholder stands before (`inWord`), which quotes are left, and what the next characters are.

import { nginxContextAt } from '../lines/nginx-context.ts';
import { bracketedAddressEnd, colonAddressEnd } from './addresses.ts';
import { BLANK, behindBlanks, DIGIT, goesOn, isLetter, isName, isNameMark, kindOf, LETTER } from './characters.ts';
import { errnoEnd } from './codes.ts';
import { FormWords, MESSAGE_KEYS } from './form-words.ts';
import { otherSizeEnd } from './numbers.ts';
import { endsWithSize } from './peers.ts';
import type { Span } from './text-lines.ts';
import {
  brokenPathEnd,
  bundleHashEnd,
  CUT_NAME,
  cutNameEnd,
  isBracketedNumber,
  isIdentifier,
  mailDomainEnd,
  methodEnd,
  placeholderEnd,
  serverEnd,
} from './tokens.ts';

const CLIENT = ', client: ';
const FASTCGI = 'FastCGI sent in stderr: "';
/** Bits of the kinds of quotes. */
const DOUBLE = 1;
const SINGLE = 2;
const BACK = 4;
const STRING = 8;

/** Scans lines of a text. A text is scanned to its end before the next one, see `NormalForm`. */
export class FormScan extends FormWords {
  #isJson = false;
  /** Quotes without a closing one ahead. They are not searched for again, which keeps the scan linear. */
  #unclosed = 0;
  /** Beginning of nginx's context; negative until it is looked for. */
  #contextAt = -1;
  /** End of the line when a quoted path has a line break in it; 0 otherwise. */
  #brokenPathEnd = 0;

  override begin(text: string): void {
    super.begin(text);
    this.#isJson = false;
    this.#unclosed = 0;
    this.#contextAt = -1;
    this.#brokenPathEnd = 0;
  }

  /** Adds a line of the form, unless the form is full. Returns the actual end of the line if the scan may go on. */
  line(from: number, to: number, mayGoOn: boolean): number {
    if (this.form.isFull) return to;
    this.form.beginLine();
    this.#brokenPathEnd = 0;
    this.#runLine(from, to);
    if (mayGoOn && this.#brokenPathEnd > 0) {
      this.form.restartLine();
      this.#runLine(from, this.#brokenPathEnd);
    }
    if (this.at < this.end) this.#cut();
    this.form.endLine();
    return this.end;
  }

  /** Adds a frame of a stack trace as a line: its parts, with blanks between them. */
  frame(parts: readonly Span[]): void {
    if (this.form.isFull) return;
    this.form.beginLine();
    this.inFrame = true;
    for (const { from, to } of parts) {
      this.form.blank();
      this.#runLine(from, to);
    }
    this.inFrame = false;
    this.form.endLine();
  }

  /** Adds the server of nginx's context, which begins at `at`. */
  context(at: number): void {
    if (this.form.isFull) return;
    const newline = this.text.indexOf('\n', at);
    this.at = at;
    this.end = newline < 0 ? this.text.length : newline;
    this.#nginxContext();
  }

  /**
   * Writes `FastCGI sent in stderr: "PHP message: ..." while reading ...`, whose quotes hold the message and may hold
   * others. Returns false and writes nothing for any other line.
   */
  fastcgi(from: number): boolean {
    if (this.code(from) !== 0x46 || !this.text.startsWith(FASTCGI, from)) return false;
    const said = from + FASTCGI.length;
    const context = nginxContextAt(this.text, said);
    const close = this.text.lastIndexOf('" while ', context < 0 ? undefined : context);
    if (close < said) return false;
    const newline = this.text.indexOf('\n', said);
    this.form.beginLine();
    this.form.write(FASTCGI);
    this.#runLine(said, newline < 0 ? close : Math.min(close, newline));
    this.form.endLine();
    this.form.put(0x22);
    this.#runLine(close + 1, this.text.length);
    return true;
  }

  /** Marks a form that is full. A quote before the mark must still close, or not close, as it did in the text. */
  #cut(): void {
    if (!goesOn(this.code(this.at))) this.form.blank();
    this.form.write('<cut>');
  }

  #runLine(from: number, to: number): void {
    this.inWord = false;
    this.#isJson = false;
    this.#unclosed = 0;
    this.keptPathEnd = 0;
    this.#contextAt = -1;
    this.#run(from, to);
  }

  #run(from: number, to: number): void {
    this.at = from;
    this.end = to;
    const { text } = this;
    while (this.at < this.end && !this.form.isFull) {
      const code = text.charCodeAt(this.at);
      const kind = kindOf(code);
      if (kind === LETTER || kind === DIGIT) this.word(kind);
      else if (kind === BLANK) this.blank();
      else if (!this.#mark(code)) this.literal(code);
    }
  }

  /** Handles a mark that begins a token; returns false for any other. */
  #mark(code: number): boolean {
    switch (code) {
      case 0x22:
        return !this.inValue && (this.#isJson ? this.#jsonString() : this.#quoted(code, DOUBLE));
      case 0x27:
        return this.#quoted(code, SINGLE);
      case 0x60:
        return this.#quoted(code, BACK);
      case 0x3c:
        return this.#placeholder() || this.#about();
      case 0x3e:
      case 0x7e:
        return this.#about();
      case 0x2f:
        return this.path();
      case 0x29:
        return this.closing();
      case 0x28:
        return this.#otherSize() || this.copied(errnoEnd(this.text, this.at), false);
      case 0x2c:
        return this.code(this.at + 2) === 0x63 && this.#client();
      case 0x3a:
        return this.code(this.at + 1) === 0x3a && this.isApart() && this.address(colonAddressEnd(this.text, this.at));
      case 0x5b:
        return this.isApart() && this.address(bracketedAddressEnd(this.text, this.at));
      case 0x40:
        return this.inWord && this.#mail();
      case 0x3f:
        return this.query();
      case 0x2d:
        if (this.inWord && this.#bundleHash()) return true;
        return (this.isApart() || this.form.last === 0x5f) && this.sign();
      case 0x2b:
        return (this.isApart() || this.form.last === 0x5f) && this.sign();
      case 0x5c:
        return this.inValue && this.#escape();
      case 0x7b:
        if (!this.inValue && this.code(behindBlanks(this.text, this.at + 1, this.end)) === 0x22) this.#isJson = true;
        return false;
      default:
        return false;
    }
  }

  /** Drops a size in other words behind a size: `18846 bytes (18.4 KB)` and `451 bytes` are alike. */
  #otherSize(): boolean {
    if (!endsWithSize(this.form)) return false;
    const end = otherSizeEnd(this.text, this.at);
    if (end < 0 || end > this.end) return false;
    this.form.cut(this.form.length - 1);
    this.at = end;
    this.inWord = true;
    return true;
  }

  #bundleHash(): boolean {
    const end = bundleHashEnd(this.text, this.at);
    if (end < 0 || end > this.end) return false;
    this.literal(0x2d);
    return this.replaced(end, '<num>');
  }

  /** Copies a placeholder that is already in the text. */
  #placeholder(): boolean {
    const end = placeholderEnd(this.text, this.at);
    return this.code(this.at + 1) === 0x69 && this.code(this.at + 2) === 0x70
      ? this.address(end)
      : this.copied(end, true);
  }

  /** Drops the mark before a number that is only about right: `<1 ms`. */
  #about(): boolean {
    return this.isApart() && this.isTokenStart() && !isBracketedNumber(this.text, this.at + 1) && this.sign();
  }

  /** Both characters of an escape stay together: a quote without its backslash would become a real one. */
  #escape(): boolean {
    this.literal(0x5c);
    const next = this.code(this.at);
    if (this.at < this.end) this.literal(kindOf(next) === BLANK ? 0x20 : next);
    this.form.keep();
    return true;
  }

  /**
   * Replaces a quoted text. A quote closes where no word continues behind it, so neither `can't` nor a quote in a
   * path misleads.
   */
  #quoted(quote: number, kind: number): boolean {
    if (this.inWord || (this.#unclosed & kind) !== 0) return false;
    const { text, end } = this;
    for (let at = this.at + 1; at < end; at += 1) {
      const code = text.charCodeAt(at);
      // GNU quotes `like this'.
      const isClosing = code === quote || (code === 0x27 && kind === BACK);
      if (isClosing && !goesOn(text.charCodeAt(at + 1))) return this.#closed(quote, at);
    }
    this.#unclosed |= kind;
    if (kind !== DOUBLE) return false;
    this.#brokenPathEnd ||= brokenPathEnd(this.text, this.end);
    return this.#cutByNginx();
  }

  /** Replaces the inside of quotes that close at `close`. The method of a request and names of rules stay. */
  #closed(quote: number, close: number): boolean {
    const { text, at } = this;
    if (quote !== 0x22) return this.blanked(quote, close + 1, '');
    const isRule = this.form.endsWith('zone ', this.form.length) || this.form.endsWith('[id ', this.form.length);
    if (isRule && isIdentifier(text, at + 1, close)) return this.copied(close + 1, false);
    const method = text.slice(at + 1, methodEnd(text, at + 1));
    this.blanked(quote, close + 1, method);
    if (method !== '') this.status();
    return true;
  }

  /** Handles a line that nginx cut inside its quotes: it continues with `... (36: File name too long)`. */
  #cutByNginx(): boolean {
    const dots = cutNameEnd(this.text, this.at, this.end);
    if (dots < 0) return false;
    this.form.write('"<str>');
    this.at = dots;
    return this.copied(errnoEnd(this.text, dots + CUT_NAME.length - 1), false);
  }

  /** Returns the quote that ends a string with escapes, from `from` on, or -1. */
  #stringEnd(from: number): number {
    if ((this.#unclosed & STRING) !== 0) return -1;
    for (let at = from; at < this.end; at += 1) {
      const code = this.code(at);
      if (code === 0x22) return at;
      if (code === 0x5c) at += 1;
    }
    this.#unclosed |= STRING;
    return -1;
  }

  #jsonString(): boolean {
    const close = this.#stringEnd(this.at + 1);
    if (close < 0) return false;
    const colon = behindBlanks(this.text, close + 1, this.end);
    const isKey = colon < this.end && this.code(colon) === 0x3a && this.code(colon + 1) !== 0x3a;
    if (!isKey || !isName(this.text, this.at + 1, close)) return this.blanked(0x22, close + 1, '');
    const key = this.text.slice(this.at + 1, close);
    this.copied(close + 1, false);
    if (colon > close + 1) this.form.put(0x20);
    this.literal(0x3a);
    this.at = colon + 1;
    const value = behindBlanks(this.text, this.at, this.end);
    if (MESSAGE_KEYS.has(key) && value < this.end && this.code(value) === 0x22) {
      if (value > this.at) this.form.put(0x20);
      this.at = value;
      this.messageValue();
    }
    return true;
  }

  /** Writes a double-quoted value that stays: only numbers, addresses and other quotes inside it are replaced. */
  protected override messageValue(): void {
    const close = this.#stringEnd(this.at + 1);
    if (close < 0) return;
    const outer = { end: this.end, unclosed: this.#unclosed };
    this.form.put(0x22);
    this.inWord = false;
    this.inValue = true;
    this.#unclosed = 0;
    this.#run(this.at + 1, close);
    this.#unclosed = outer.unclosed;
    this.inValue = false;
    this.inWord = false;
    this.form.put(0x22);
    this.at = close + 1;
    this.end = outer.end;
  }

  #mail(): boolean {
    const end = mailDomainEnd(this.text, this.at, this.end);
    if (end < 0) return false;
    this.form.takeBackMailbox(isLetter, isNameMark);
    return this.replaced(end, '<mail>');
  }

  /** Writes nginx's context, or `, client ` that a visitor has written before it: a form has one beginning. */
  #client(): boolean {
    if (!this.text.startsWith(CLIENT, this.at)) return false;
    if (this.#contextAt < 0) this.#contextAt = nginxContextAt(this.text, this.at);
    // A later line has a context of its own.
    if (this.at >= this.#contextAt || this.#contextAt >= this.end) return this.#nginxContext();
    this.form.write(', client');
    this.at += CLIENT.length - 1;
    this.blank();
    return true;
  }

  /** Writes nginx's context from `, client: ` on: only the server distinguishes errors. */
  #nginxContext(): boolean {
    const { text, end } = this;
    // Its values are parts like those of any other text.
    if (this.onPart !== undefined) return false;
    let at = this.at + 2;
    while (at < end && text.charCodeAt(at) !== 0x2c) at += 1;
    this.form.write(', client: <ip>');
    const to = serverEnd(text, at, end);
    if (to > 0) this.form.copy(text, at, to);
    this.at = end;
    this.inWord = true;
    return true;
  }
}
