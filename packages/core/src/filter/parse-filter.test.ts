import { beforeAll, describe, expect, it } from 'vitest';
import { loadExpressions } from './expressions.ts';
import { type Filter, FilterError, type Term, type Test } from './filter.ts';
import { formatFilter } from './format-filter.ts';
import { parseFilter } from './parse-filter.ts';

beforeAll(loadExpressions);

const text = (value: string): Term => ({ kind: 'text', text: value });
const field = (name: string, test: Test): Term => ({ kind: 'field', field: name, test });
const equals = (name: string, ...values: string[]) => field(name, { op: 'equals', values });
const expression = (source: string, flags = ''): Term => ({ kind: 'expression', source, flags });
const not = (term: Filter): Filter => ({ kind: 'not', term });
const and = (...terms: Filter[]): Filter => ({ kind: 'and', terms });
const or = (...terms: Filter[]): Filter => ({ kind: 'or', terms });
const [a, b, c] = [text('a'), text('b'), text('c')];

/** Error that a text is refused with; undefined for a filter. */
function thrownBy(filter: string): unknown {
  try {
    parseFilter(filter);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The error of a text that is refused. */
function refusal(filter: string): FilterError {
  const error = thrownBy(filter);
  if (error instanceof FilterError) return error;
  throw error ?? new Error(`accepted: ${filter}`);
}

const same = (texts: string) => texts.split(' ').map((each): [string, string] => [each, each]);

describe('parseFilter', () => {
  it.each<[string, Filter]>([
    ['', { kind: 'all' }],
    [' \t\r\n', { kind: 'all' }],
    ['*', { kind: 'all' }],
    ['-*', not({ kind: 'all' })],
    ['a', a],
    ['a b', and(a, b)],
    ['a AND b', and(a, b)],
    ['a OR b', or(a, b)],
    ['a b OR c', or(and(a, b), c)],
    ['a (b OR c)', and(a, or(b, c))],
    ['(a)(b)c', and(a, b, c)],
    ['((a b) c)', and(a, b, c)],
    ['a OR (b OR c)', or(a, b, c)],
    ['a OR(b)', or(a, b)],
    ['-a', not(a)],
    ['NOT a b', and(not(a), b)],
    ['NOT(a OR b)', not(or(a, b))],
    ['-(a b)', not(and(a, b))],
    ['NOT NOT a', a],
    ['NOT -a', a],
    ['a * b', and(a, b)],
    ['a OR *', { kind: 'all' }],
  ])('combines the terms of %j', (filter, expected) => {
    expect(parseFilter(filter)).toEqual(expected);
  });

  it.each<[string, string]>([
    ...same('or ORDER - --force -----BEGIN a-b x="y" App\\Models main() f(x)(y) f(x 10.0.0.1:80'),
    ...same('12:30:05 http://a/b?c=d std::io C:\\temp error: [error] /var/log/nginx / // /var/i18n'),
    ...same('a/b/ a* Ärger a\u00A0b'),
    ['"OR"', 'OR'],
    ['-> b', '->'],
    ['"-a"', '-a'],
    ['"a b"', 'a b'],
    ['""', ''],
    [String.raw`"a\"b\\c\nd\te\r"`, 'a"b\\c\nd\te\r'],
    ['"a\nb"', 'a\nb'],
    ['// a', '//'],
  ])('takes %s literally', (filter, literal) => {
    const parsed = parseFilter(filter);
    expect(parsed.kind === 'and' ? parsed.terms[0] : parsed).toEqual(text(literal));
  });

  it.each<[string, Filter]>([
    ['/a b/', expression('a b')],
    ['/a/i', expression('a', 'i')],
    [String.raw`/a\/b/`, expression('a/b')],
    [String.raw`/a\\/`, expression(String.raw`a\\`)],
    [String.raw`/\d+/`, expression(String.raw`\d+`)],
    ['(/a/)', expression('a')],
    ['-/a/', not(expression('a'))],
    ['/a/ /b/i', and(expression('a'), expression('b', 'i'))],
    ['/var/log x /tmp/', and(text('/var/log'), text('x'), expression('tmp'))],
    ['x:/a|b/i', field('x', { op: 'matches', source: 'a|b', flags: 'i' })],
    ['x:/a/b', equals('x', '/a/b')],
    ['x:/a/b,/c', equals('x', '/a/b', '/c')],
  ])('reads the expressions of %s', (filter, expected) => {
    expect(parseFilter(filter)).toEqual(expected);
  });

  it.each<[string, Filter]>([
    ['x:a', equals('x', 'a')],
    ['x:a,b', equals('x', 'a', 'b')],
    ['x:a,a', equals('x', 'a')],
    ['x:"a b",c', equals('x', 'a b', 'c')],
    ['x:"a,b"', equals('x', 'a,b')],
    ['x:"*"', equals('x', '*')],
    ['x:""', equals('x', '')],
    ['x:-a', equals('x', '-a')],
    ['x:a:b', equals('x', 'a:b')],
    ['x:http://a', equals('x', 'http://a')],
    ['x:f(a)', equals('x', 'f(a)')],
    ['(x:a)', equals('x', 'a')],
    ['-x:a', not(equals('x', 'a'))],
    ['x:*', field('x', { op: 'any' })],
    ['x:a*', field('x', { op: 'prefix', value: 'a' })],
    ['x:"a b"*', field('x', { op: 'prefix', value: 'a b' })],
    ['x:a*,b', or(equals('x', 'b'), field('x', { op: 'prefix', value: 'a' }))],
    ['x:>=3', field('x', { op: 'compare', operator: '>=', number: 3 })],
    ['x:<-0.5', field('x', { op: 'compare', operator: '<', number: -0.5 })],
    ['x:>1e3', field('x', { op: 'compare', operator: '>', number: 1000 })],
    [
      'x:1..5',
      and(
        field('x', { op: 'compare', operator: '>=', number: 1 }),
        field('x', { op: 'compare', operator: '<=', number: 5 }),
      ),
    ],
    ['x:1..a', equals('x', '1..a')],
    ['x:../a', equals('x', '../a')],
    ['a.b-c:d', equals('a.b-c', 'd')],
    ['@timestamp:d', equals('@timestamp', 'd')],
    ['"my key":a', equals('my key', 'a')],
    ['"status":500', equals('status', '500')],
    ['__proto__:a', equals('__proto__', 'a')],
    ['fields.client:a', equals('client', 'a')],
    ['fields.host:a', equals('fields.host', 'a')],
    ['fields.fields.x:a', equals('fields.fields.x', 'a')],
  ])('reads the field of %s', (filter, expected) => {
    expect(parseFilter(filter)).toEqual(expected);
  });

  it.each<[string, Filter]>([
    ['level:error', equals('level', 'error')],
    ['Level:ERR,warning,7', equals('level', 'error', 'warn', 'info')],
    ['level:>=warn', field('level', { op: 'compare', operator: '<=', number: 5 })],
    ['level:<warn', field('level', { op: 'compare', operator: '>', number: 5 })],
    ['host:web*', field('host', { op: 'prefix', value: 'web' })],
    ['app_id:07', equals('app', '7')],
    ['req_id:x', equals('req', 'x')],
    ['src:>3', field('src', { op: 'compare', operator: '>', number: 3 })],
    ['state:New,muted', equals('state', 'new', 'muted')],
    ['since:2h', { kind: 'since', moment: { ago: 7200 } }],
    ['since:1d12h', { kind: 'since', moment: { ago: 129_600 } }],
    ['since:2026-01-31', { kind: 'since', moment: { unix: 1_769_817_600 } }],
    ['until:2026-01-31', { kind: 'until', moment: { unix: 1_769_903_999 } }],
    ['until:2026-01-31T10:00', { kind: 'until', moment: { unix: 1_769_853_600 } }],
    ['until:2026-01-31T12:00:00.999+02:00', { kind: 'until', moment: { unix: 1_769_853_600 } }],
    ['since:1769853600', { kind: 'since', moment: { unix: 1_769_853_600 } }],
  ])('reads the known name of %s', (filter, expected) => {
    expect(parseFilter(filter)).toEqual(expected);
  });

  it.each<[filter: string, refused: string, position: number, message: RegExp, allowed: string | undefined]>([
    ['a )', ')', 2, /closes none/, 'OR'],
    ['a (b', '(b', 2, /has no end/, ')'],
    ['a OR', '', 4, /missing/, 'text'],
    ['(', '', 1, /missing/, 'field:value'],
    ['()', ')', 1, /missing/, '(group)'],
    ['AND a', 'AND', 0, /"AND"/, 'text'],
    ['a OR OR b', 'OR', 5, /before OR/, 'text'],
    ['NOT', '', 3, /missing/, '-term'],
    ['a "b', '"b', 2, /has no end/, '"'],
    ['"a"b', 'b', 3, /blank/, 'a blank'],
    [String.raw`"a\d"`, String.raw`\d`, 2, /backslash/, String.raw`\n`],
    ['level:', '', 6, /without a blank/, 'error'],
    ['level: error', '', 6, /without a blank/, '>=name'],
    ['level:loud', 'loud', 6, /no such level/, 'stderr'],
    ['level:9', '9', 6, /no such level/, 'debug'],
    ['level:>=4', '4', 8, /name of a level/, 'warn'],
    ['level:err*', 'err*', 6, /whole values/, 'error'],
    ['state:open', 'open', 6, /no such state/, 'regressed'],
    ['src:web', 'web', 4, /whole numbers/, '>=number'],
    ['host:>3', '3', 6, /cannot be compared/, '"quoted value"'],
    ['x:>y', 'y', 3, /with a number/, '>=number'],
    ['x:>1e999', '1e999', 3, /with a number/, '1..9'],
    [`x:1..${'9'.repeat(400)}`, `1..${'9'.repeat(400)}`, 2, /too large/, undefined],
    ['src:9999999999999999', '9999999999999999', 4, /whole numbers/, 'a number'],
    ['x:=3', '=3', 2, /x:value/, 'value'],
    ['x:a,', '', 4, /missing/, 'prefix*'],
    ['x:a*b', 'a*b', 2, /end of a value/, '/expression/'],
    ['x:"a"b', 'b', 5, /blank/, undefined],
    ['"x":', '', 4, /without a blank/, 'value'],
    ['since:soon', 'soon', 6, /no time/, '2h'],
    ['since:120', '120', 6, /no time/, 'Unix seconds'],
    ['since:*', '*', 6, /no time/, '2h'],
    ['since:2026-02-30', '2026-02-30', 6, /no time/, '2026-01-31'],
    ['since:2026-01-01T25:00', '2026-01-01T25:00', 6, /no time/, '2h'],
    ['since:9999999w', '9999999w', 6, /no time/, '2h'],
    ['/a|b', '/a|b', 0, /has no end/, '/expression/'],
    ['/(a|b) /c/d', '/(a|b)', 0, /slash/, '"text"'],
    ['x:/(a/b', '/(a/b', 2, /slash/, '"text"'],
    ['a /(/', '/(/', 2, /missing closing \)/, undefined],
    [String.raw`/(a)\1/`, String.raw`/(a)\1/`, 0, /not valid/, undefined],
    ['/(?=a)/', '/(?=a)/', 0, /not valid/, undefined],
    ['/(?<=a)b/', '/(?<=a)b/', 0, /not valid/, undefined],
    ['a\0', '\0', 1, /cannot be stored/, undefined],
    ['"\ud800"', '\ud800', 1, /cannot be stored/, undefined],
  ])('refuses %j with its place', (filter, refused, position, message, allowed) => {
    const error = refusal(filter);
    expect(filter.slice(error.position, error.position + error.length)).toBe(refused);
    expect(error.position).toBe(position);
    expect(error.message).toMatch(message);
    expect(allowed === undefined ? [] : error.expected.filter((each) => each === allowed)).toEqual(
      allowed === undefined ? [] : [allowed],
    );
  });

  it('refuses more than 4 KiB of UTF-8', () => {
    expect(parseFilter('ä'.repeat(2048))).toEqual(text('ä'.repeat(2048)));
    expect(refusal('ä'.repeat(2049)).message).toMatch(/4096 bytes/);
    expect(refusal('a'.repeat(1e6))).toMatchObject({ position: 4096, length: 1e6 - 4096 });
  });

  it('refuses more than 64 terms, each value with a prefix counted', () => {
    expect(parseFilter('a '.repeat(64))).toMatchObject({ kind: 'and' });
    expect(refusal('a '.repeat(65))).toMatchObject({ position: 128, length: 1, message: expect.stringMatching(/64/) });
    expect(refusal(`${'a '.repeat(62)}x:a*,b*,c*`).message).toMatch(/64 terms/);
    expect(parseFilter(`x:${Array.from({ length: 500 }, (_, i) => i).join(',')}`)).toMatchObject({ field: 'x' });
  });

  it('refuses a nesting deeper than 16', () => {
    expect(parseFilter(`${'('.repeat(16)}a${')'.repeat(16)}`)).toEqual(a);
    expect(refusal(`${'('.repeat(17)}a${')'.repeat(17)}`)).toMatchObject({ position: 16, length: 1 });
    expect(refusal(`${'NOT '.repeat(17)}a`).message).toMatch(/16 deep/);
    const lists = `${'(a OR b '.repeat(15)}-x:a*,b${')'.repeat(15)}`;
    expect(refusal(lists).message).toMatch(/16 deep/);
  });

  it('keeps the deepest filter within the limits of its canonical text', () => {
    const deepest = `${'-(a OR b '.repeat(7)}-x:a*,b${')'.repeat(7)}`;
    const filter = parseFilter(deepest);
    expect(parseFilter(formatFilter(filter))).toEqual(filter);
  });

  it('answers 4 KiB of a part of the language with a filter or a place', () => {
    for (const part of [...'()"-/\\:,*\ud800', 'NOT ', '-(', 'x:', '/a', '/a/ ', '"a" ', '-"', 'x:"']) {
      const refused = thrownBy(part.repeat(Math.floor(4096 / part.length)));
      expect(refused === undefined || refused instanceof FilterError, part).toBe(true);
    }
  });
});
