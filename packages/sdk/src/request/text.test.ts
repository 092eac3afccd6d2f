import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { ANY_CHARACTER } from '../../../core/test/any-character.ts';
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
      fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 400 }), (text) => {
        const line = excerpt(text);
        expect(line.length).toBeLessThanOrEqual(200);
        expect(line).not.toMatch(/\p{C}/u);
        expect(line.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('redact', () => {
  const secret = `qd_t_${'Ab3'.repeat(16)}x`;

  it.each(
    nonEmpty([
      [
        'a credential with the prefix of the server',
        ['qd_t_hush'],
        'a qd_t_hush b qd_t_hush',
        'a [credential] b [credential]',
      ],
      ['several credentials', ['qd_t_a', 'qd_t_b'], 'qd_t_b qd_t_a', '[credential] [credential]'],
      ['a long credential', ['correct-horse-ba'], 'a correct-horse-ba.', 'a [credential].'],
      ['a secret of the server that is not the credential', ['token'], `bad ${secret}!`, 'bad [credential]!'],
      ['a secret without a credential', [], secret, '[credential]'],
    ]),
  )('masks %s', (_, secrets, text, masked) => {
    expect(redact(text, secrets)).toBe(masked);
  });

  it.each([
    ['a short credential', ['token'], 'the token has expired'],
    ['no credential', [], 'the token has expired'],
  ])('leaves words alone with %s', (_, secrets, text) => {
    expect(redact(text, secrets)).toBe(text);
  });
});
