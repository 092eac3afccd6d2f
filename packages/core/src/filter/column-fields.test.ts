import { beforeAll, describe, expect, it } from 'vitest';
import { compileFilter, type FilterableLine } from './compile-filter.ts';
import { loadExpressions } from './expressions.ts';
import { columnFields } from './field-names.ts';
import { formatFilter } from './format-filter.ts';
import { parseFilter } from './parse-filter.ts';

beforeAll(loadExpressions);

const NOW_S = 1_800_000_000;
const NAMES = columnFields(
  [
    { id: 'state', isTime: false },
    { id: 'Host', isTime: false },
    { id: 'used', isTime: true },
  ],
  NOW_S,
);
const ROW: FilterableLine = {
  time: NOW_S - 60,
  level: 4,
  log: 'active\nweb-1\n1204',
  host: '',
  service: '',
  source: '',
  src: 0,
  app_id: 0,
  req_id: '',
  group: 0,
  fields: () => ({ state: 'active', Host: 'web-1', used: String(NOW_S - 3600) }),
};
const parse = (text: string) => parseFilter(text, NAMES);

describe('a filter of columns', () => {
  it.each([
    ...'state:active|State:active|host:web*|-HOST:/^db/|1204 web|used:>=2h|used:<30m|used:*'.split('|'),
    ...'used:2027-01-15|used:<=2027-01-15|since:2m'.split('|'),
  ])('finds the row with %s', (text) => {
    expect(compileFilter(parse(text), NOW_S)(ROW)).toBe(true);
  });

  it.each(['state:disabled', 'used:>=30m', 'used:>2027-01-15', 'until:2m'])('misses the row with %s', (text) => {
    expect(compileFilter(parse(text), NOW_S)(ROW)).toBe(false);
  });

  it.each([
    ['colour:red', 'There is no such field. Quote a text that has a colon.', 0],
    ['"my key":red', 'There is no such field. Quote a text that has a colon.', 0],
    ['x used:soon', 'This is no time that used: takes.', 7],
    ['used:2h', 'Compare used: with a time, or give a day.', 5],
    ['used:', 'Write a value directly after used:, without a blank.', 5],
    ['state: x', 'Write a value directly after state:, without a blank.', 6],
  ])('refuses %s', (text, message, position) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ message, position }));
  });

  it('lists the names that it knows', () => {
    const expected = ['state', 'Host', 'used', 'since', 'until'];
    expect(() => parse('colour:red')).toThrow(expect.objectContaining({ expected }));
  });

  it('has no since: where no column has times', () => {
    expect(() => parseFilter('since:2h', columnFields([{ id: 'name', isTime: false }], NOW_S))).toThrow(
      /no such field/,
    );
  });

  it.each(['state:active', 'Host:web*', '-used:>=2027-01-15T07:00:00Z', 'since:2h'])(
    'is formatted as it was written: %s',
    (text) => {
      expect(formatFilter(parse(text), NAMES)).toBe(text);
    },
  );
});
