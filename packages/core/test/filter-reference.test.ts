import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { FilterText } from '../src/domain/filter.ts';
import {
  AGENT_FIELD_NAMES,
  AGENT_FIELDS,
  columnFields,
  FILTER_NAMES,
  FilterError,
  formatFilter,
  loadExpressions,
  parseFilter,
} from '../src/filter/index.ts';

beforeAll(loadExpressions);

const reference = readFileSync(new URL('../../../docs/reference/filter.md', import.meta.url), 'utf8');
const blocks = (language: string) =>
  [...reference.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].flatMap(([, block = '']) =>
    block.split('\n').filter(Boolean),
  );

describe('docs/reference/filter.md', () => {
  const inTables = [...reference.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, code = '']) => code.replaceAll('\\|', '|'));
  const named = [...reference.matchAll(/^\| `\w+` +\| `([^`]+)` +\|/gm)].map(([, code = '']) => code);

  it.each(nonEmpty([...inTables, ...named, ...blocks('filter')]))('shows the filter %s', (filter) => {
    expect(parseFilter(formatFilter(parseFilter(filter)))).toEqual(parseFilter(filter));
  });

  it.each(nonEmpty(blocks('refused')))('shows the refused filter %s', (filter) => {
    expect(() => parseFilter(filter)).toThrow(FilterError);
  });

  it('shows the error that a refused filter has', () => {
    const message = FilterText.safeParse('level:loud').error?.issues[0]?.message;
    expect(blocks('text')).toEqual([`query.filter: ${message}`]);
  });

  it.each(nonEmpty(blocks('agents')))('shows the filter of agents %s', (filter) => {
    expect(parseFilter(formatFilter(parseFilter(filter, AGENT_FIELDS), AGENT_FIELDS), AGENT_FIELDS)).toEqual(
      parseFilter(filter, AGENT_FIELDS),
    );
  });

  it.each(nonEmpty(blocks('columns')))('shows the filter of a list %s', (filter) => {
    const columns = ['role', 'state', 'name', 'used'].map((id) => ({ id, isTime: id === 'used' }));
    const names = columnFields(columns, 1_800_000_000);
    expect(parseFilter(formatFilter(parseFilter(filter, names), names), names)).toEqual(parseFilter(filter, names));
  });

  it('names every field of agents', () => {
    const section = /^## Filter agents\n(.*?)^## /ms.exec(reference)?.[1] ?? '';
    for (const name of AGENT_FIELD_NAMES) expect(section, name).toContain(`\`${name}\``);
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
