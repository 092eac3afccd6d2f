import { LINE_FIELDS } from '@quarterdeck/core/filter';
import { isFilter, readFilter } from '@quarterdeck/views/filters';
import { describe, expect, it } from 'vitest';
import type { Column } from './column.ts';
import { barTicks, columnAt, createLineCache, layOutTable, rowLine, scrollbar } from './table-lines.ts';

interface Row {
  readonly id: number;
  readonly name: string;
  readonly size: number;
}

const columns: Column<Row>[] = [
  { id: 'name', title: 'Name', width: 6, pinned: true, cell: ({ name }) => ({ text: name }) },
  { id: 'size', title: 'Size', width: 5, align: 'right', cell: ({ size }) => ({ text: String(size) }) },
  { id: 'note', title: 'Note', width: 10, grow: 1, cell: () => ({ text: 'a note that is longer than the table' }) },
];
const row: Row = { id: 1, name: 'alpha', size: 3 };

describe('the table', () => {
  it('finds the column at a position, also when moved sideways', () => {
    const still = layOutTable(columns, [row], 30, 0);
    expect([0, 2, 7, 8, 10, 14, 15, 17, 29].map((at) => columnAt(still, at))).toEqual([
      null,
      'name',
      'name',
      null,
      'size',
      'size',
      null,
      'note',
      'note',
    ]);
    const moved = layOutTable(columns, [row], 30, 7);
    expect(columnAt(moved, 3)).toBe('name');
    expect(columnAt(moved, 12)).toBe('note');
  });

  it('moves sideways up to the end of its rows', () => {
    expect(layOutTable(columns, [row], 30, 0).panMost()).toBe(layOutTable(columns, [row], 30, 1_000).pan);
    expect(layOutTable(columns, [row], 200, 5).pan).toBe(0);
  });

  it('highlights the texts of a filter, but not those that it leaves out', () => {
    const read = readFilter('lph -beta', LINE_FIELDS);
    const find = isFilter(read) ? read.find : undefined;
    const layout = layOutTable(columns, [row], 30, 0);
    const line = rowLine(layout, row, { selected: false, marked: false, find, findsAll: true });
    expect(line.filter(({ tone }) => tone === 'hit').map(({ text }) => text)).toEqual(['lph']);
  });

  it('does not build an unchanged row again', () => {
    const remember = createLineCache();
    const layout = layOutTable(columns, [row], 30, 0);
    let made = 0;
    const line = (...madeOf: unknown[]) =>
      remember(1, madeOf, () => {
        made += 1;
        return rowLine(layout, row, { selected: false, marked: false, find: undefined, findsAll: false });
      });
    const first = line(row, 'a');
    expect(line(row, 'a')).toBe(first);
    expect(made).toBe(1);
    // A line that is built again but looks the same stays the same object.
    expect(line({ ...row }, 'a')).toBe(first);
    expect(made).toBe(2);
  });
});

describe('the scroll bar', () => {
  const bar = (...of: Parameters<typeof scrollbar>): string =>
    scrollbar(...of)
      .map(({ text }) => text)
      .join('');

  it('shows the visible part, and nothing if everything is visible', () => {
    expect(bar(10, 0, 10)).toBe(' '.repeat(10));
    expect(bar(20, 0, 10)).toBe('┃┃┃┃┃     ');
    expect(bar(20, 10, 10)).toBe('     ┃┃┃┃┃');
  });

  it('shows marks and rare tones in their place, the worst one of several', () => {
    const tones: Record<number, 'notice' | 'bad' | 'warning'> = {
      12: 'warning',
      55: 'notice',
      90: 'bad',
      91: 'warning',
    };
    const rows = Array.from({ length: 100 }, (_, index) => index);
    const ticks = barTicks(rows, { start: 0, length: 100 }, 10, (index) => tones[index]);
    expect(ticks.map((tick) => tick?.tone)).toEqual([
      undefined,
      'warning',
      undefined,
      undefined,
      undefined,
      'notice',
      undefined,
      undefined,
      undefined,
      'bad',
    ]);
    expect(bar(100, 90, 10, ticks)).toBe(` ╴   •   ┃`);
  });

  it('hides frequent tones, but never marks', () => {
    const rows = Array.from({ length: 100 }, (_, index) => index);
    expect(barTicks(rows, { start: 0, length: 100 }, 10, () => 'bad').every((tick) => tick === undefined)).toBe(true);
    expect(barTicks(rows, { start: 0, length: 100 }, 10, () => 'notice').every((tick) => tick?.tone === 'notice')).toBe(
      true,
    );
  });

  it('leaves rows that are not loaded blank', () => {
    const ticks = barTicks([0], { start: 0, length: 100 }, 10, () => 'bad');
    expect(ticks.map((tick) => tick?.tone ?? null).slice(1)).toEqual(new Array(9).fill(null));
  });
});
