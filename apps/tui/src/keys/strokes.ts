// Turns what Ink hands over into what was pressed. Bytes that arrive together come as one string ("jjj", a word typed
// fast, a paste without markers), so a string is a run of keys, never one key.
import type { Key } from 'ink';

/**
 * A run of printable text, or one named key: `enter`, `escape`, `tab`, `shift+tab`, `up`, `pageup`, `ctrl+d`, `alt+f`.
 */
export type Press = { readonly text: string } | { readonly stroke: string };

const NAMED: readonly (readonly [keyof Key, string])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
];

function withModifiers(name: string, key: Key): string {
  // Ink marks the second of two escapes, and a lone capital letter, as modified; neither is a modifier to us.
  if (name === 'escape') return name;
  return `${key.ctrl ? 'ctrl+' : ''}${key.meta ? 'alt+' : ''}${key.shift ? 'shift+' : ''}${name}`;
}

function controlStroke(code: number): string {
  if (code === 0x0d || code === 0x0a) return 'enter';
  if (code === 0x09) return 'tab';
  if (code === 0x08 || code === 0x7f) return 'backspace';
  if (code === 0x1b) return 'escape';
  if (code === 0) return 'ctrl+space';
  return `ctrl+${String.fromCharCode(code <= 26 ? code + 96 : code + 64)}`;
}

/** Splits a chunk that is not one known key. */
function splitChunk(chunk: string): Press[] {
  const presses: Press[] = [];
  let text = '';
  const flush = (): void => {
    if (text !== '') presses.push({ text });
    text = '';
  };
  for (const character of chunk.replaceAll('\r\n', '\r')) {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0x20 && code !== 0x7f) {
      text += character;
      continue;
    }
    flush();
    presses.push({ stroke: controlStroke(code) });
  }
  flush();
  return presses;
}

/** What was pressed, in order. */
export function pressesOf(input: string, key: Key): Press[] {
  if (key.eventType === 'release') return [];
  const named = NAMED.find(([flag]) => key[flag] === true);
  if (named !== undefined) return [{ stroke: withModifiers(named[1], key) }];
  if (key.ctrl && input !== '') return [{ stroke: `ctrl+${input === ' ' ? 'space' : input.toLowerCase()}` }];
  if (key.meta && [...input].length === 1) return [{ stroke: `alt+${input}` }];
  return splitChunk(input);
}

/** The name of a printable character's key, as the keymap writes it. */
export const strokeOf = (character: string): string => (character === ' ' ? 'space' : character);
