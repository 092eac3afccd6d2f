import { loadExpressions, parseFilter } from '@quarterdeck/core/filter';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Column } from './column.ts';
import { columnShape, namesOfShape, rowTest } from './row-test.ts';

beforeAll(loadExpressions);

const NOW_S = 1_800_000_000;

interface Row {
  readonly name: string;
  readonly active: boolean;
  readonly count: number;
  readonly used: number;
  readonly created: number;
}

const ROW: Row = { name: 'Web 1', active: true, count: 1204, used: 0, created: NOW_S - 3600 };
const COLUMNS: readonly Column<Row>[] = [
  { id: 'state', title: 'State', width: 8, cell: ({ active }) => ({ text: active ? '● active' : '○ disabled' }) },
  { id: 'name', title: 'Name', width: 8, cell: ({ name }) => ({ text: name }) },
  { id: 'count', title: 'Count', width: 8, cell: ({ count }) => ({ text: count.toLocaleString('en') }) },
  { id: 'took', title: 'Took', width: 8, cell: () => ({ text: '34 ms' }), number: () => 34 },
  { id: 'used', title: 'Used', width: 8, cell: () => ({ text: 'never' }), moment: ({ used }) => used },
  { id: 'created', title: 'Created', width: 8, cell: () => ({ text: '1h ago' }), moment: ({ created }) => created },
];
const names = namesOfShape(columnShape(COLUMNS), NOW_S);
const matches = (text: string) => rowTest(parseFilter(text, names), COLUMNS, NOW_S)(ROW);

describe('a filter of rows', () => {
  it.each<[string, boolean]>([
    ['web', true],
    ['web nothing', false],
    ['web OR nothing', true],
    ['-web', false],
    ['"1,204"', true],
    ['/^W.b/', true],
    ['name:"web 1"', true],
    ['NAME:web*', true],
    ['name:web', false],
    ['state:active', true],
    ['-state:disabled', true],
    ['count:>1000', true],
    ['count:1204', true],
    ['took:<30', false],
    ['took:30..40', true],
    ['used:*', false],
    ['created:>=2h', true],
    ['created:<2h', false],
    ['since:2h', true],
    ['since:30m', false],
    ['until:30m', true],
  ])('answers %s', (text, answer) => {
    expect(matches(text)).toBe(answer);
  });
});
