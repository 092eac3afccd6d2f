// Position of a scan in its text, and the few ways to go on from there.

import { isBoundary, isQuote } from './characters.ts';
import { NormalForm } from './normal-form.ts';
import { foldBeforeAddress } from './peers.ts';

/** A part of a text, and the placeholder that stands for it. */
export type OnPart = (from: number, to: number, placeholder: string) => void;

/** Reads one text after the other, and writes the form of each. */
export class FormCursor {
  protected text = '';
  protected readonly form = new NormalForm();
  protected at = 0;
  protected end = 0;
  /** True if the last thing written is a word, a number or a placeholder: no quote or sign begins right behind one. */
  protected inWord = false;
  /** Called with each part of the text that a placeholder replaces; absent where only the form counts. */
  protected readonly onPart: OnPart | undefined;

  constructor(onPart?: OnPart) {
    this.onPart = onPart;
  }

  /** Begins the form of a text. */
  begin(text: string): void {
    this.text = text;
    this.inWord = false;
    this.form.begin();
  }

  /** Returns the written form, valid until the next scan begins. */
  get units(): Uint16Array {
    return this.form.units;
  }

  /** Number of the units written. */
  get length(): number {
    return this.form.length;
  }

  toString(): string {
    return this.form.toString();
  }

  protected code(at: number): number {
    return this.text.charCodeAt(at);
  }

  protected literal(code: number): void {
    this.form.put(code);
    this.at += 1;
    this.inWord = code === 0x5f;
    if (code === 0x2f) this.form.hasSlash = true;
  }

  protected blank(): void {
    this.form.blank();
    this.at += 1;
    this.inWord = false;
  }

  /**
   * Tells whether a placeholder may begin here: neither behind a word, nor behind a quote, where it would change
   * which quotes belong together.
   */
  protected isApart(): boolean {
    return !this.inWord && !isQuote(this.form.last);
  }

  /** Tells whether a token begins here. */
  protected isTokenStart(): boolean {
    return isBoundary(this.form.last);
  }

  protected copied(end: number, inWord: boolean): boolean {
    if (end < 0 || end > this.end) return false;
    this.form.copy(this.text, this.at, end);
    this.at = end;
    this.inWord = inWord;
    return true;
  }

  protected replaced(end: number, placeholder: string): boolean {
    if (end < 0 || end > this.end) return false;
    this.onPart?.(this.at, end, placeholder);
    this.form.write(placeholder);
    this.at = end;
    this.inWord = true;
    return true;
  }

  /** Replaces an address; `end` is the index behind it, or negative without one. */
  protected address(end: number): boolean {
    if (end >= 0 && end <= this.end) foldBeforeAddress(this.form);
    return this.replaced(end, '<ip>');
  }

  /** Writes the placeholder for the inside of quotes that end before `to`; `kept` is its beginning that stays. */
  protected blanked(quote: number, to: number, kept: string): boolean {
    this.onPart?.(this.at + 1 + kept.length, to - 1, '<str>');
    this.form.put(quote);
    this.form.write(kept);
    this.form.write('<str>');
    this.form.put(this.code(to - 1));
    this.at = to;
    this.inWord = false;
    return true;
  }
}
