import { describe, expect, it } from 'vitest';
import { escapeWithin, oneLine } from './message-text.ts';

describe('oneLine', () => {
  it.each([
    ['keeps plain text', 'disk is full on web-7 äöü 漢字', 'disk is full on web-7 äöü 漢字'],
    ['joins lines', 'a\r\nBcc: x@example.org\n\tb', 'a Bcc: x@example.org b'],
    ['removes escape sequences', '\u001b[31mred\u001b[0m', 'red'],
    ['removes marks of direction', '\u202Egnp.exe\u202C', 'gnp.exe'],
    ['removes zeros', 'a\0b', 'ab'],
    ['makes an empty text of spaces', ' \n ', ''],
  ])('%s', (_, text, line) => {
    expect(oneLine(text, 100)).toBe(line);
  });

  it('cuts a long text', () => {
    expect(oneLine('x'.repeat(1_000_000), 10)).toBe(`${'x'.repeat(9)}…`);
    expect(oneLine(`${'x'.repeat(8)}\u{1F600}yy`, 10).isWellFormed()).toBe(true);
    expect(oneLine('x'.repeat(10), 10)).toBe('x'.repeat(10));
  });

  it('marks a text whose rest was not read', () => {
    expect(oneLine(`a${' '.repeat(1000)}b`, 10)).toBe('a…');
  });
});

describe('escapeWithin', () => {
  const escapes = { '<': '&lt;', '&': '&amp;' };

  it('escapes', () => {
    expect(escapeWithin('a<b&c', escapes, 100)).toBe('a&lt;b&amp;c');
  });

  it('cuts between escaped characters', () => {
    expect(escapeWithin('<'.repeat(100), escapes, 10)).toBe('&lt;&lt;…');
  });
});
