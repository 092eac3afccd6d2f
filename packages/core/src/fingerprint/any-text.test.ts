// Properties that the normal form of any text has, also of texts that are made to be slow.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { atMost, everyThird } from '../../../../test/thoroughness.ts';
import { ANY_CHARACTER } from '../../test/any-character.ts';
import { hasTrace, normalForm } from './fingerprint.ts';

describe('normalForm of anything', () => {
  const pieces = [
    ...'"\'`\\<>{}:,=?@.-+/_()[] \n\tTna5é',
    ...['\\"', '  ', '<num>', '<str>', '{"', ': ', ', ', 'a@b.cd', '(2: ', '(2: N', '[::1]', '::1'],
    ...['fe80::1', '1.2.3.4:80', '12ms', '0x1f', 'deadbeef', '550e8400-e29b-41d4-a716-446655440000', 'Nov'],
    ...['Nov 5', 'Fri, ', '20/Nov/2026:10:00', 'signal 11', 'code=5', 'status: 404', 'msg="', '"msg":"'],
    ...['"a":', ', client: ', ', client: 1.2.3.4, server: ex.com', '... (36: F', '😀', '\ud800', '\0'],
    ...['https://h/a?b=c', 'Traceback (most recent call last):', '00:1a:2b:3c:4d:5e', 'invalid user '],
    ...[' user ', 'user=', 'rhost=', 'bob', 'password for ', ' from ', ' by ', ' on line ', ' [', ' ('],
    ...['web-17.rack2.example.com', 'ns.example.com', ' ()', '/a/b', '/a=/b:', 'C:\\a\\b', ':5', '(5'],
    ...['?x=1', '?a', 'blk_1 ', 'blk_-2, ', '_1_a_2', '~3', ' KB', '5 MB', ' PM ', '1 second', '<1', '<5>'],
    ...['A12', 'ffffffff', '[id "', 'zone "', '"GET ', "`x'", '[::]:80', '1.2.3.4,', '<ip>,', '<ip> ('],
    ...['a_1_b~2', '_b', 'index-Bk_9a-Zx.js', '-ABcdEF', "thread 'x", ' panicked at ', ":5:in `a'"],
    ...['#0 a (b.dart:5)', '[cause]: ', 'Caused by: ', 'eyJhbGciOiJIUzI1NiJ9.eyJ.x', '0011.2233.4455', 'aabb.'],
    ...['00-1a-2b-3c-4d-5e', '-bcdfg', '7d4b9c6f5b', 'ORA-00942', 'ORA-', 'AH00094', 'SQLSTATE 42P01', 'SQLSTATE['],
    ...[
      'fe80::1%eth0',
      '%',
      'QxZrTyPlMnBvCdEw',
      'HTTP 404',
      'HTTP/1.1',
      ' 404',
      'E1126',
      'error',
      '550 5.1.1',
      '%ASA-6-3',
    ],
    ...['code = -5', 'error 10061', ' 0x1f', 'LNK2019:', 'user: ', 'logged in', 'unknown[', 'localhost (', 'a.cn:80'],
  ];
  const crafted = fc.array(fc.constantFrom(...pieces), { maxLength: 20 }).map((parts) => parts.join(''));
  const anything = fc.oneof(
    { weight: 4, arbitrary: crafted },
    fc.string({ unit: ANY_CHARACTER, maxLength: 200 }),
    fc.array(crafted, { maxLength: 300 }).map((parts) => parts.join('')),
  );

  it('is its own normal form unless it is a stack trace, and short', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const form = normalForm(text);
        if (!hasTrace(text)) expect(normalForm(form)).toBe(form);
        expect(form.length).toBeLessThanOrEqual(1_536);
      }),
      { numRuns: atMost(800, 5_000), examples: [['QxZrTyPlMnBvCdEw_1_a_2']] },
    );
  });

  it('is the same whatever a number is', () => {
    const word = fc.constantFrom('took', 'of', 'ms', 'worker', 'id', 'in', 'for');
    const number = fc.nat().map(String);
    fc.assert(
      fc.property(fc.array(fc.tuple(word, number, number), { minLength: 1, maxLength: 10 }), (parts) => {
        const texts = [1, 2].map((i) => parts.map((part) => `${part[0]} ${part[i]}`).join(' '));
        expect(normalForm(texts[0] ?? '')).toBe(normalForm(texts[1] ?? ''));
      }),
    );
  });

  const slow = [
    ...['"', "'", ' "a', " 'a", '\\"', '{"', '{"a":"', 'msg="', 'a@', 'a@b.c ', ', client: ', '1.', '::'],
    ...['a:', '... (', '?a', '\n"', '\nat (', '\n\tb.go:1', '\n File "a", line 1, in b'],
    ...['Call Trace:\n a+0x1', 'Traceback (most recent call last)\n', 'FastCGI sent in stderr: "', '/a'],
    ...['/a=', '/a:', '/a:/', 'a1.', 'a1-b.c.de,', 'a_1_', 'a_b', 'a_1 ', 'user a ', 'user=', '1.2.3.4,'],
    ...['1.2.3.4 (', 'a.b.de [', ')', 'a?', '5 ', '`a', 'a-bcdefgh', '\n:5:in `a', '\n#0 a.dart:'],
    ...['eyJ', 'eyJhbGciOiJIUzI1NiJ9.', 'aabb.', '00-', 'ORA-', '-bcdfg', '1-bcdfg', 'aB', 'SQLSTATE '],
    ...['\n[cause]: ', '\n| Exception Group Traceback (most recent call last):', "\nthread ' panicked at "],
  ];
  it.each(nonEmpty(everyThird(slow, 0)))('copes with 16 KiB of %j', (piece) => {
    const text = piece.repeat(16_384 / piece.length);
    if (!hasTrace(text)) expect(normalForm(normalForm(text))).toBe(normalForm(text));
    expect(normalForm(text).length).toBeLessThanOrEqual(1_536);
  });
});
