import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { FILTER_NAMES, FilterError, formatFilter, loadExpressions, parseFilter, textMatcher } from '../filter/index.ts';
import { FilterText } from './filter.ts';

beforeAll(loadExpressions);

const reference = readFileSync(new URL('../../../../docs/filter.md', import.meta.url), 'utf8');
const blocks = (language: string) =>
  [...reference.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].flatMap(([, block = '']) =>
    block.split('\n').filter(Boolean),
  );

describe('FilterText', () => {
  it('accepts a filter as it is written', () => {
    expect(FilterText.parse(' level:ERR  x ')).toBe(' level:ERR  x ');
  });

  it('refuses another text with the place and all that is allowed there', () => {
    const message = (text: string) => FilterText.safeParse(text).error?.issues[0]?.message;
    expect(message('src:a')).toBe('at character 5 ("a"): src: takes whole numbers. Allowed: a number, >=number, *.');
    expect(message('a OR')).toMatch(/^at character 5: A term is missing here\. Allowed: text, /);
    expect(message(`"${'😀'.repeat(100)}`)?.isWellFormed()).toBe(true);
    expect(message(`"${'x'.repeat(100)}`)).toContain(`("\\"${'x'.repeat(39)}")`);
  });

  it('refuses what is no text', () => {
    expect(FilterText.safeParse(5).success).toBe(false);
  });
});

describe('docs/filter.md', () => {
  const inTables = [...reference.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, code = '']) => code.replaceAll('\\|', '|'));
  const named = [...reference.matchAll(/^\| `\w+` +\| `([^`]+)` +\|/gm)].map(([, code = '']) => code);

  it.each([...inTables, ...named, ...blocks('filter')])('shows the filter %s', (filter) => {
    expect(parseFilter(formatFilter(parseFilter(filter)))).toEqual(parseFilter(filter));
  });

  it.each(blocks('refused'))('shows the refused filter %s', (filter) => {
    expect(() => parseFilter(filter)).toThrow(FilterError);
  });

  it('shows the error that a refused filter has', () => {
    const message = FilterText.safeParse('level:loud').error?.issues[0]?.message;
    expect(blocks('text')).toEqual([`query.filter: ${message}`]);
  });

  it('shows enough, and every known name', () => {
    expect([...inTables, ...named].length).toBeGreaterThan(50);
    for (const name of FILTER_NAMES)
      expect(
        named.some((filter) => filter.startsWith(`${name}:`)),
        name,
      ).toBe(true);
  });
});

describe('textMatcher', () => {
  it.each<[text: string, log: string, isFound: boolean]>([
    ['error', 'an ERROR here', true],
    ['ERROR', 'an error here', true],
    ['ä', 'Ä', false],
    ['k', '\u212A', false],
    ['s', 'ſ', false],
    ['ſ', 's', false],
    ['a.c', 'abc', false],
    ['[x]{2}^$', 'a[X]{2}^$b', true],
    ['a\nb', 'A\nB', true],
    ['', '', true],
  ])('searches %j in %j', (text, log, isFound) => {
    expect(textMatcher(text)(log)).toBe(isFound);
  });
});
