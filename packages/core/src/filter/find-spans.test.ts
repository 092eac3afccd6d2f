import { beforeAll, describe, expect, it } from 'vitest';
import { loadExpressions } from './expressions.ts';
import { findSpans } from './find-spans.ts';
import { parseFilter } from './parse-filter.ts';

beforeAll(loadExpressions);

const found = (filter: string, text: string) => {
  const find = findSpans(parseFilter(filter));
  return find?.(text).map(({ from, to }) => text.slice(from, to));
};

describe('findSpans', () => {
  it.each<[string, string, string[] | undefined]>([
    ['timed', 'Timed out, timed out', ['Timed', 'timed']],
    ['out timed', 'timed out', ['timed', 'out']],
    ['a OR /c+/', 'abcc', ['a', 'cc']],
    ['time timed', 'timed', ['timed']],
    ['-timed', 'timed', undefined],
    ['x -(a b)', 'a x', ['x']],
    ['host:a', 'a', undefined],
    ['/b*/', 'abba', ['bb']],
    ['/(a+)+$/', `${'a'.repeat(2000)}!`, []],
  ])('of %s in %s', (filter, text, spans) => {
    expect(found(filter, text)).toEqual(spans);
  });
});
