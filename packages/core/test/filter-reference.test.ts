import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { FilterText } from '../src/domain/filter.ts';
import { FILTER_NAMES, FilterError, formatFilter, loadExpressions, parseFilter } from '../src/filter/index.ts';

beforeAll(loadExpressions);

const reference = readFileSync(new URL('../../../docs/filter.md', import.meta.url), 'utf8');
const blocks = (language: string) =>
  [...reference.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].flatMap(([, block = '']) =>
    block.split('\n').filter(Boolean),
  );

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
