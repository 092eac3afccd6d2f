import { describe, expect, it } from 'vitest';
import { INITIAL_LIST_STATE, type ListAction, type ListState, listReducer } from './list-state.ts';

const ids = [10, 20, 30, 40, 50];
const columns = ['time', 'level', 'message'];
const run = (...actions: ListAction[]): ListState => actions.reduce(listReducer, INITIAL_LIST_STATE);
const marked = (state: ListState): number[] => [...state.marks].sort((a, b) => a - b);

describe('a list', () => {
  it('marks, inverts, marks all and clears marks', () => {
    const two = run({ type: 'toggleMark', id: 10 }, { type: 'toggleMark', id: 30 }, { type: 'toggleMark', id: 10 });
    expect(marked(two)).toEqual([30]);
    expect(marked(listReducer(two, { type: 'invert', ids }))).toEqual([10, 20, 40, 50]);
    expect(marked(listReducer(two, { type: 'markAll', ids }))).toEqual(ids);
    expect(marked(listReducer(two, { type: 'unmark' }))).toEqual([]);
  });

  it('extends a range in both directions and keeps earlier marks', () => {
    const begun = run({ type: 'toggleMark', id: 50 }, { type: 'range', id: 20 });
    expect(marked(begun)).toEqual([20, 50]);
    const down = listReducer(begun, { type: 'stretch', to: 40, ids });
    expect(marked(down)).toEqual([20, 30, 40, 50]);
    const up = listReducer(down, { type: 'stretch', to: 10, ids });
    expect(marked(up)).toEqual([10, 20, 50]);
    const ended = listReducer(up, { type: 'range', id: 10 });
    expect(listReducer(ended, { type: 'stretch', to: 40, ids })).toBe(ended);
  });

  it('ends a range when a row is marked by itself', () => {
    const state = run({ type: 'range', id: 20 }, { type: 'toggleMark', id: 50 }, { type: 'stretch', to: 40, ids });
    expect(marked(state)).toEqual([20, 50]);
  });

  it('moves the focus back to the rows when the details close', () => {
    const open = run({ type: 'detail', detail: 'open' }, { type: 'focusOn', focus: 'detail' });
    expect(open.focus).toBe('detail');
    expect(listReducer(open, { type: 'detail', detail: 'closed' }).focus).toBe('list');
  });

  it('does not extend a range whose start is gone', () => {
    const begun = run({ type: 'range', id: 20 });
    expect(marked(listReducer(begun, { type: 'stretch', to: 40, ids: [30, 40] }))).toEqual([]);
  });

  it('resizes the selected column within limits, and resets it with the order', () => {
    const chosen = run({ type: 'column', by: 2, columns });
    const wider = listReducer(chosen, { type: 'resizeColumn', by: 4, width: 10 });
    expect(wider.widths).toEqual({ level: 14 });
    expect(listReducer(wider, { type: 'resizeColumn', by: -50, width: 14 }).widths).toEqual({ level: 3 });
    expect(listReducer(wider, { type: 'showColumns' }).widths).toEqual({});
    expect(run({ type: 'resizeColumn', by: 4, width: 10 }).widths).toEqual({});
  });

  it('moves the focus to open panes only', () => {
    expect(run({ type: 'toggleFacets' }, { type: 'focusOn', focus: 'list' }).focus).toBe('list');
    expect(run({ type: 'focusOn', focus: 'detail' }).focus).toBe('list');
  });

  it('selects, moves and hides columns, but never hides the last one', () => {
    const second = run({ type: 'column', by: 2, columns });
    expect(second.column).toBe('level');
    const moved = listReducer(second, { type: 'moveColumn', by: -1, columns });
    expect(moved.order).toEqual(['level', 'time', 'message']);
    expect(listReducer(moved, { type: 'moveColumn', by: -1, columns: moved.order })).toBe(moved);
    const hidden = listReducer(second, { type: 'hide', columns });
    expect(hidden.hidden).toEqual(['level']);
    expect(hidden.column).toBe('message');
    expect(listReducer(second, { type: 'hide', columns: ['level'] })).toBe(second);
    expect(listReducer(hidden, { type: 'showColumns' }).hidden).toEqual([]);
  });

  it('limits moving sideways', () => {
    expect(run({ type: 'pan', by: 30, most: 25 }).pan).toBe(25);
    expect(run({ type: 'pan', by: 10, most: 25 }, { type: 'pan', by: -99, most: 25 }).pan).toBe(0);
    expect(run({ type: 'pan', by: 10, most: -5 }).pan).toBe(0);
  });

  it('keeps the last three orders', () => {
    const state = run(...['a', 'b', 'c', 'd'].map((id) => ({ type: 'sort' as const, id })));
    expect(state.sort.map(({ id }) => id)).toEqual(['d', 'c', 'b']);
  });

  it('toggles values of facets', () => {
    const state = run(
      { type: 'facet', facet: 'env', value: 'host' },
      { type: 'facet', facet: 'env', value: 'vm' },
      { type: 'facet', facet: 'env', value: 'host' },
    );
    expect(state.facets).toEqual({ env: ['vm'] });
    expect(listReducer(state, { type: 'facet', facet: 'env', value: 'vm' }).facets).toEqual({});
  });

  it('cycles the focus through open panes and returns it to the list', () => {
    const open = run({ type: 'detail', detail: 'open' }, { type: 'toggleFacets' });
    expect(open.focus).toBe('facets');
    expect(listReducer(open, { type: 'focus', by: 1 }).focus).toBe('list');
    expect(listReducer(open, { type: 'focus', by: -1 }).focus).toBe('detail');
    expect(listReducer(open, { type: 'toggleFacets' }).focus).toBe('list');
  });

  it('remembers the last filter when it is cleared', () => {
    const state = run({ type: 'filter', text: 'timeout' }, { type: 'filter', text: '' });
    expect(state).toMatchObject({ filter: '', searched: 'timeout' });
  });
});
