import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerpt, redact } from './text.ts';

describe('excerpt', () => {
  it.each([
    ['plain', 'plain'],
    [
      '<html><head><style>b{}</style></head><body>\n<h1>502 Bad Gateway</h1>\n<hr>nginx</body></html>',
      '502 Bad Gateway nginx',
    ],
    ['<script>alert("<p>")</script>after', 'after'],
    ['a\u0000b\u001b[31mc\u202ed\u200be\r\nf', 'a b [31mc d e f'],
    [`${'x'.repeat(198)}🙂🙂`, `${'x'.repeat(198)}…`],
    ['', ''],
  ])('makes %j into %j', (text, line) => {
    expect(excerpt(text)).toBe(line);
  });

  it('is one printable line of at most 200 characters, whatever came', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const line = excerpt(text);
        expect(line.length).toBeLessThanOrEqual(200);
        expect(line).not.toMatch(/\p{C}/u);
        expect(line.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('redact', () => {
  it('masks every occurrence', () => {
    expect(redact('a hush b hush', 'hush')).toBe('a [credential] b [credential]');
    expect(redact('a hush', undefined)).toBe('a hush');
  });
});
