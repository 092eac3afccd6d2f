import { describe, expect, it } from 'vitest';
import { arrangeColumns, assignLetters, type Column } from './column.ts';
import { countValues, type Facet, facetGroups, filterRows, sortRows } from './list-filter.ts';

interface Row {
  readonly id: number;
  readonly name: string;
  readonly size: number;
}

const rows: readonly Row[] = [
  { id: 1, name: 'beta', size: 20 },
  { id: 2, name: 'Alpha', size: 3 },
  { id: 3, name: 'beta', size: 100 },
];
const columns: readonly Column<Row>[] = [
  { id: 'name', title: 'Name', width: 5, cell: ({ name }) => ({ text: name }) },
  { id: 'size', title: 'Size', width: 5, cell: ({ size }) => ({ text: String(size) }), value: ({ size }) => size },
];
const facets: readonly Facet<Row>[] = [
  { id: 'name', title: 'Name', value: ({ name }) => name },
  { id: 'big', title: 'Big', value: ({ size }) => (size > 10 ? 'big' : 'small') },
];
const idsOf = (some: readonly Row[]): number[] => some.map(({ id }) => id);

describe('the order', () => {
  it('compares numbers as numbers, and is stable', () => {
    expect(idsOf(sortRows(rows, columns, [{ id: 'size', down: false }]))).toEqual([2, 1, 3]);
    expect(idsOf(sortRows(rows, columns, [{ id: 'name', down: true }]))).toEqual([1, 3, 2]);
  });
});

describe('facets', () => {
  it('combine with AND, and values of one facet with OR', () => {
    expect(idsOf(filterRows(rows, null, facets, { name: ['beta'], big: ['big'] }))).toEqual([1, 3]);
    expect(idsOf(filterRows(rows, null, facets, { name: ['beta', 'Alpha'] }))).toEqual([1, 2, 3]);
  });

  it('count rows that pass the other facets, and keep a chosen value without rows', () => {
    const [names, sizes] = facetGroups(rows, facets, { big: ['small'] });
    expect(names?.values).toEqual([{ value: 'Alpha', count: 1, chosen: false }]);
    expect(sizes?.values).toEqual([
      { value: 'big', count: 2, chosen: false },
      { value: 'small', count: 1, chosen: true },
    ]);
    const [gone] = facetGroups(rows, facets, { name: ['nobody'] });
    expect(gone?.values).toContainEqual({ value: 'nobody', count: 0, chosen: true });
  });

  it('count the values of a column', () => {
    expect(countValues(rows, columns[0] as Column<Row>)).toEqual([
      { value: 'beta', count: 2 },
      { value: 'Alpha', count: 1 },
    ]);
  });
});

describe('columns', () => {
  it('follow the chosen order; unknown ones keep their place', () => {
    const names = (order: string[], hidden: string[] = []): string[] =>
      arrangeColumns(columns, { order, hidden, shown: [], widths: {} }).map(({ id }) => id);
    expect(names(['size', 'name'])).toEqual(['size', 'name']);
    expect(names(['size'])).toEqual(['name', 'size']);
    expect(names(['gone', 'size', 'name'], ['name'])).toEqual(['size']);
  });

  it('are shown only where the user chose them, if they are optional', () => {
    const own = columns.map((column) => (column.id === 'size' ? { ...column, optional: true as const } : column));
    const names = (shown: string[]): string[] =>
      arrangeColumns(own, { order: [], hidden: [], shown, widths: {} }).map(({ id }) => id);
    expect(names([])).toEqual(['name']);
    expect(names(['size'])).toEqual(['name', 'size']);
  });

  it('keep a width that the user chose', () => {
    const own = [...columns].map((column) => ({ ...column, grow: 1, drop: 1 }));
    const [first, second] = arrangeColumns(own, { order: [], hidden: [], shown: [], widths: { size: 7 } });
    expect(first).toMatchObject({ id: 'name', grow: 1, drop: 1 });
    expect(second).toMatchObject({ id: 'size', width: 7, byHand: true });
    expect(second).toMatchObject({ grow: 0, drop: undefined });
  });

  it('get a letter each, from their titles if possible', () => {
    const found = assignLetters([
      { id: 'a', title: 'Time' },
      { id: 'b', title: 'Tone' },
      { id: 'c', title: '' },
    ]);
    expect([...found.values()]).toEqual(['t', 'o', 'a']);
  });
});
