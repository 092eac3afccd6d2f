// Names of the keys that terminals send as escape sequences (xterm, VT220, rxvt, Linux console, kitty).
import type { Press } from './strokes.ts';

/** Final byte of `ESC [` and `ESC O` -> key. */
const BY_FINAL: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
};

/** Number before `~` -> key. */
const BY_NUMBER: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
};

/** Control codes that are keys and not text. */
const BY_CODE: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  10: 'enter',
  13: 'enter',
  27: 'escape',
  127: 'backspace',
};

/** Codes of keypad keys in the kitty protocol, for keys that also exist elsewhere. */
const KITTY: Readonly<Record<number, string>> = {
  57414: 'enter',
  57417: 'left',
  57418: 'right',
  57419: 'up',
  57420: 'down',
  57421: 'pageup',
  57422: 'pagedown',
  57423: 'home',
  57424: 'end',
  57425: 'insert',
  57426: 'delete',
};
/** Digits and signs of the keypad, from 57399 on. */
const KITTY_KEYPAD = '0123456789./*-+';
const KITTY_KEYPAD_FIRST = 57_399;
/** Meaning of `ESC O` and a letter from `j` on: the keypad. */
const KEYPAD = '*+,-./0123456789';

/** Modifiers in the numbering of terminals: 1 plus a bit each for Shift, Alt and Control. */
const modified = (name: string, modifiers: number): string => {
  const bits = Math.max(0, modifiers - 1);
  return `${bits & 4 ? 'ctrl+' : ''}${bits & 2 ? 'alt+' : ''}${bits & 1 ? 'shift+' : ''}${name}`;
};

/** Returns the key of a character with modifiers. */
function keyOfCode(code: number, modifiers: number, text: string | undefined): Press | null {
  const named = BY_CODE[code] ?? KITTY[code];
  if (named !== undefined) return { stroke: modified(named, modifiers) };
  const keypad = KITTY_KEYPAD[code - KITTY_KEYPAD_FIRST];
  const isPrivate = code >= 0xe000 && code <= 0xf8ff;
  if (keypad === undefined && (isPrivate || code < 0x20 || code > 0x10ffff)) return null;
  const character = keypad ?? String.fromCodePoint(code);
  const bits = Math.max(0, modifiers - 1);
  // Shift alone gives another character, which is the text typed.
  if ((bits & 6) === 0) return { text: text ?? (bits & 1 ? character.toUpperCase() : character) };
  return { stroke: modified(character === ' ' ? 'space' : character.toLowerCase(), (bits & 6) + 1) };
}

/** Returns the key of a complete `ESC [` sequence; null for reports and unknown keys. */
export function pressOfCsi(parameters: string, final: string): Press | null {
  // Replies of the terminal and mouse reports have a private marker.
  if (/^[<=>?]/.test(parameters)) return null;
  const fields = parameters.split(';').map((field) => field.split(':').map(Number));
  const first = fields[0]?.[0] ?? 0;
  const modifiers = fields[1]?.[0] || 1;
  if (fields[1]?.[1] === 3) return null; // The key was let go.
  if (final === 'Z') return { stroke: 'shift+tab' };
  if (final === 'u') {
    const text = fields[2]
      ?.filter((code) => code >= 0x20 && code <= 0x10ffff)
      .map((code) => String.fromCodePoint(code));
    return keyOfCode(first, modifiers, text === undefined || text.length === 0 ? undefined : text.join(''));
  }
  if (final === '~' && first === 27) return keyOfCode(fields[2]?.[0] ?? 0, modifiers, undefined);
  const name = final === '~' ? BY_NUMBER[first] : BY_FINAL[final];
  // `ESC [ 12;40 R` reports the cursor's position.
  if (name === undefined || (final !== '~' && first > 1)) return null;
  return { stroke: modified(name, modifiers) };
}

/** Returns the key of `ESC O` with this final byte. */
export function pressOfSs3(final: string, modifiers: number): Press | null {
  const name = BY_FINAL[final] ?? (final === 'M' ? 'enter' : undefined);
  if (name !== undefined) return { stroke: modified(name, modifiers) };
  const keypad = KEYPAD[final.charCodeAt(0) - 'j'.charCodeAt(0)];
  return keypad === undefined ? null : { text: keypad };
}

/** Returns the key of a control character. */
export function pressOfControl(code: number): Press {
  const named = BY_CODE[code];
  if (named !== undefined) return { stroke: named };
  if (code === 0) return { stroke: 'ctrl+space' };
  return { stroke: `ctrl+${String.fromCharCode(code <= 26 ? code + 96 : code + 64)}` };
}
