import { describe, expect, it } from 'vitest';
import { nameKey, visibleName, visibleText } from './visible-text.ts';

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

describe('visibleName', () => {
  it.each([
    ['web-1', 'web-1'],
    ['  web\t 1\r\n', 'web 1'],
    ['web\u200b-\u200d1\ufeff', 'web-1'],
    ['\u202eweb\u2066-1\u2069', 'web-1'],
    ['w\u00ade\u034fb\ufe0f\u{e0041}\u3164\u2800', 'web'],
    ['a\u00a0\u3000\u2028b', 'a b'],
    ['\u200b\u2800', ''],
    ['Größe 東京', 'Größe 東京'],
  ])('makes %j look as it is', (name, expected) => {
    expect(visibleName(name)).toBe(expected);
    expect(visibleName(expected)).toBe(expected);
  });

  it('compares names that look alike as equal', () => {
    expect(new Set(['Web-1', 'web\u200b-1', 'ｗｅｂ-1'].map(nameKey)).size).toBe(1);
  });
});
