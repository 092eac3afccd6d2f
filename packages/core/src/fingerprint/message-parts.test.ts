import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../test/any-character.ts';
import { messageParts } from './message-parts.ts';

const shown = (text: string): string[] =>
  messageParts(text).map(({ from, to, kind }) => `${kind}:${text.slice(from, to)}`);

describe('the parts of a message that differ', () => {
  it.each([
    ['payment worker 17 lost its connection to 10.0.0.1:5432', ['number:17', 'address:10.0.0.1:5432']],
    ['worker12 took 5.2 KB, code=7', ['number:12', 'number:5.2 KB']],
    ['open() "/srv/a b" failed (2: No such file or directory)', ['text:/srv/a b']],
    ['no space on /var/lib/data, ORA-00942', ['path:/var/lib/data']],
    ['request 550e8400-e29b-41d4-a716-446655440000 failed', ['id:550e8400-e29b-41d4-a716-446655440000']],
    ['no route to ann17@example.com', ['id:ann17@example.com']],
    [
      'refused, client: 192.0.2.7, server: a.example.com, request: "GET /x HTTP/1.1"',
      ['address:192.0.2.7', 'path:/x HTTP/1.1'],
    ],
    ['first 1\n  at run (/a/b.js:12:5)', ['number:1', 'number:12:5']],
    ['plain words stay', []],
  ])('of %j are %j', (text, parts) => {
    expect(shown(text)).toEqual(parts);
  });

  it('are in order and never overlap, whatever the text is', () => {
    const piece = fc.constantFrom(
      'a@b.cd',
      '"',
      "'",
      '1.2.3.4',
      '/a/b',
      'C:\\a',
      ' 17 ',
      '\n',
      '{"a":',
      'user=',
      'x1_2',
      ' ',
    );
    const text = fc.array(fc.oneof(piece, fc.string({ unit: ANY_CHARACTER, maxLength: 8 }))).map((all) => all.join(''));
    fc.assert(
      fc.property(text, (message) => {
        let end = 0;
        for (const { from, to } of messageParts(message)) {
          expect(from).toBeGreaterThanOrEqual(end);
          expect(to).toBeGreaterThan(from);
          end = to;
        }
        expect(end).toBeLessThanOrEqual(message.length);
      }),
      { numRuns: 300 },
    );
  });
});
