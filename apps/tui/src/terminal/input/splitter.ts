// Splits terminal input into keys and pastes. A sequence may arrive in several chunks, and a chunk may contain many
// keys. Reports (mouse, focus, replies) never become text.
// biome-ignore-all lint/suspicious/noControlCharactersInRegex: it is about control characters
import { type Mouse, mouseOf } from './mouse.ts';
import { pressOfControl, pressOfCsi, pressOfSs3 } from './sequences.ts';
import type { Press } from './strokes.ts';

/** A key, text, a paste, or a mouse event. */
export type Input = Press | { readonly paste: string } | { readonly mouse: Mouse };

/** Kind of input whose end has not arrived. */
export type Unfinished = 'nothing' | 'key' | 'paste' | 'report';

const PASTE_BEGIN = '\u001B[200~';
const PASTE_END = '\u001B[201~';
/** Maximum length of a paste or a report, characters. */
const COLLECTED_MAX = 1_048_576;

// Parameters, intermediate bytes, final byte.
const CSI = /^\u001B\[([\x30-\x3f]*)[\x20-\x2f]*([\x40-\x7e])/;
const CSI_BEGUN = /^\u001B\[[\x30-\x3f]*[\x20-\x2f]*$/;
const SS3 = /^\u001BO([1-9]?)([A-Za-z])/;
/** Old mouse reports: three bytes after the sequence. */
const X10_MOUSE = /^\u001B\[M[\s\S]{3}/;
/** Function keys of the Linux console. */
const LINUX = /^\u001B\[\[([A-E])/;
const STRING_END = /\u0007|\u001B\\|\u009C/;
const TEXT = /^[^\u0000-\u001F\u007F-\u009F]+/;

/** One recognised piece; a null input is dropped. */
interface Piece {
  readonly length: number;
  readonly input: Input | null;
}

function prefixed(press: Press | null): Press | null {
  if (press === null) return null;
  if ('text' in press) return { stroke: `alt+${press.text}` };
  return { stroke: press.stroke.startsWith('alt+') ? press.stroke : `alt+${press.stroke}` };
}

function csiPiece(rest: string): Piece | null {
  if (rest.startsWith('\u001B[M')) {
    const mouse = X10_MOUSE.exec(rest);
    return mouse === null ? null : { length: mouse[0].length, input: null };
  }
  const linux = LINUX.exec(rest);
  if (linux !== null) {
    return { length: linux[0].length, input: { stroke: `f${(linux[1] ?? 'A').charCodeAt(0) - 64}` } };
  }
  if (rest === '\u001B[[') return null;
  const csi = CSI.exec(rest);
  if (csi !== null) {
    const mouse = mouseOf(csi[1] ?? '', csi[2] ?? '');
    return { length: csi[0].length, input: mouse === null ? pressOfCsi(csi[1] ?? '', csi[2] ?? '') : { mouse } };
  }
  // A sequence with an invalid continuation is dropped.
  return CSI_BEGUN.test(rest) ? null : { length: 2, input: null };
}

/** Returns the piece at the beginning of a text that starts with Escape; null while it may continue. */
function escapePiece(rest: string): Piece | null {
  const next = rest[1];
  if (next === undefined) return null;
  if (next === '[') return csiPiece(rest);
  if (next === 'O') {
    const ss3 = SS3.exec(rest);
    if (ss3 !== null) return { length: ss3[0].length, input: pressOfSs3(ss3[2] ?? '', Number(ss3[1] || 1)) };
    return rest.length < 4 && /^..\d?$/s.test(rest) ? null : { length: 2, input: { stroke: 'alt+O' } };
  }
  if (next === ']' || next === 'P' || next === '_' || next === '^' || next === 'X') {
    const end = STRING_END.exec(rest.slice(2));
    return end === null ? null : { length: 2 + end.index + end[0].length, input: null };
  }
  if (next === '\u001B') {
    const after = rest[2];
    if (after === undefined) return null;
    // The terminal sends Alt as an Escape in front of the key's own sequence.
    if (after !== '[' && after !== 'O') return { length: 1, input: { stroke: 'escape' } };
    const piece = escapePiece(rest.slice(1));
    if (piece === null || (piece.input !== null && 'paste' in piece.input)) return piece;
    const { length, input } = piece;
    return { length: length + 1, input: input !== null && 'mouse' in input ? input : prefixed(input) };
  }
  const [character = ''] = rest.slice(1);
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x80 && code < 0xa0) return { length: 2, input: null };
  const isControl = code < 0x20 || code === 0x7f;
  return {
    length: 1 + character.length,
    input: prefixed(isControl ? pressOfControl(code) : { text: character === ' ' ? 'space' : character }),
  };
}

/** The input of one terminal. */
export class Splitter {
  #rest = '';

  /** Kind of the input that waits for its end. */
  get unfinished(): Unfinished {
    if (this.#rest === '') return 'nothing';
    if (this.#rest.startsWith(PASTE_BEGIN)) return 'paste';
    return this.#rest.length > 2 && /^.[\]P_^X]/s.test(this.#rest) ? 'report' : 'key';
  }

  /** Adds a chunk. Returns the input that it completes. */
  push(chunk: string): Input[] {
    this.#rest += chunk;
    const inputs: Input[] = [];
    while (this.#rest !== '') {
      const piece = this.#next();
      if (piece === null) {
        if (this.#rest.length > COLLECTED_MAX) inputs.push(...this.flush());
        break;
      }
      this.#rest = this.#rest.slice(piece.length);
      if (piece.input !== null) inputs.push(piece.input);
    }
    return inputs;
  }

  /** Ends the waiting input, because nothing has followed for a while. */
  flush(): Input[] {
    const rest = this.#rest;
    const { unfinished } = this;
    this.#rest = '';
    if (unfinished === 'paste') return [{ paste: rest.slice(PASTE_BEGIN.length) }];
    // One or more Escape keys, or Alt with a character that could begin a sequence.
    const keys = /^(\u001B*)\u001B([[\]OP_^X])?$/.exec(rest);
    if (keys === null) return [];
    const escapes = Array.from({ length: keys[1]?.length ?? 0 }, (): Input => ({ stroke: 'escape' }));
    return [...escapes, { stroke: keys[2] === undefined ? 'escape' : `alt+${keys[2]}` }];
  }

  #next(): Piece | null {
    const rest = this.#rest;
    if (rest.startsWith(PASTE_BEGIN)) {
      const end = rest.indexOf(PASTE_END, PASTE_BEGIN.length);
      if (end === -1) return null;
      return { length: end + PASTE_END.length, input: { paste: rest.slice(PASTE_BEGIN.length, end) } };
    }
    const text = TEXT.exec(rest);
    if (text !== null) return { length: text[0].length, input: { text: text[0] } };
    if (rest.startsWith('\u001B')) return escapePiece(rest);
    if (rest.startsWith('\r\n')) return { length: 2, input: { stroke: 'enter' } };
    const code = rest.charCodeAt(0);
    return { length: 1, input: code >= 0x80 ? null : pressOfControl(code) };
  }
}
