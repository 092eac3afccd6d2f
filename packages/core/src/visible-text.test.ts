import { describe, expect, it } from 'vitest';
import { visibleText } from './visible-text.ts';

describe('visibleText', () => {
  it.each([
    ['plain text, äöü 漢字 🙂', 'plain text, äöü 漢字 🙂'],
    ['a\tb\nc', 'a\tb\nc'],
    ['a\r\nb\rc\u2028d\u2029e', 'a\nb\nc\nd\ne'],
    ['\u001b[1;31mred\u001b[0m', 'red'],
    ['\u009b31mred\u009b0m', 'red'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;http://evil.example\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001bPdevice\u001b\\text', 'text'],
    ['\u001b(Btext\u001bc', 'text'],
    ['nul\u0000 bell\u0007 del\u007f c1\u0085', 'nul bell del c1'],
    ['\u202Eevil\u202C \u2066x\u2069', 'evil x'],
    ['zero\u200Bwidth\uFEFF\u2060', 'zerowidth'],
    ['tags\u{E0049}\u{E0067}\u{E006E}', 'tags'],
    ['selectors\uFE0F\u{E0100}\u{E01EF}', 'selectors'],
    ['private\uE000\u{F0000}', 'private'],
    ['half\uD800', 'half'],
  ])('makes %j to %j', (text, expected) => {
    expect(visibleText(text)).toBe(expected);
    expect(visibleText(expected)).toBe(expected);
  });

  it('keeps the text after a string that does not end', () => {
    expect(visibleText('\u001b]0;title and text')).toBe('0;title and text');
    expect(visibleText(`\u001b]${'x'.repeat(5000)}\u0007`)).toBe('x'.repeat(5000));
  });
});
