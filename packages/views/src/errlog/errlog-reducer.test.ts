import type { ErrlogEntry } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { entry } from '../../test/rows.ts';
import type { FeedEvent } from '../live/feed.ts';
import { errlogReducer } from './errlog-reducer.ts';
import { aheadBy, EMPTY, type ErrlogAction, type ErrlogState, isFollowing } from './errlog-state.ts';

const height = 5;
const rows = (from: number, to: number): ErrlogEntry[] =>
  Array.from({ length: from - to + 1 }, (_, index) => entry(from - index, {}, 1000));
const loaded = (count: number, total = count): ErrlogAction => ({
  type: 'loaded',
  rows: rows(count, 1),
  total,
  atMs: 1,
});
const fresh = (...entries: ErrlogEntry[]): ErrlogAction => ({
  type: 'events',
  events: entries.map((data): FeedEvent => ({ id: '1', type: 'errlog.new', data })),
});
const again = (data: ErrlogEntry): ErrlogAction => ({
  type: 'events',
  events: [{ id: '1', type: 'errlog.repeated', data }],
});
const resync: ErrlogAction = {
  type: 'events',
  events: [{ id: '', type: 'resync', data: { reason: 'x', of: 'errlog' } }],
};
const loadedPart: ErrlogAction = { type: 'loaded', rows: rows(100_000, 99_901), total: 100_000, atMs: 1 };
const block = (start: number, read: ErrlogEntry[], total: number, asked: number): ErrlogAction => ({
  type: 'block',
  rows: read,
  start,
  total,
  asked,
  height,
  atMs: 1,
});
const down: ErrlogAction = { type: 'move', by: 1, height };
const up: ErrlogAction = { type: 'move', by: -1, height };
const run = (...actions: ErrlogAction[]): ErrlogState => actions.reduce(errlogReducer, EMPTY);

describe('the error log', () => {
  it('moves a recurring group to the top while following', () => {
    const state = run(loaded(3), again(entry(1, { count: 9, log_time: 5000 })));
    expect(state.order).toEqual([1, 3, 2]);
    expect(state.rows.get(1)?.count).toBe(9);
    expect(state.total).toBe(3);
  });

  it('shows the waiting groups on up from the first row, on top, and on follow', () => {
    const held = run(loaded(5), down, fresh(entry(6, {}, 1000)), up);
    expect(held.order[0]).toBe(5);
    for (const action of [up, { type: 'moveTo', index: 0, height }, { type: 'follow' }] as const) {
      const state = errlogReducer(held, action);
      expect(state.order).toEqual([6, 5, 4, 3, 2, 1]);
      expect(isFollowing(state)).toBe(true);
    }
  });

  it('follows again on the first row when nothing waits', () => {
    expect(isFollowing(run(loaded(5), down))).toBe(false);
    expect(isFollowing(run(loaded(5), down, up))).toBe(true);
  });

  it('changes nothing while paused, wherever the selection is', () => {
    const paused = run(loaded(5), { type: 'pause', height });
    const state = [fresh(entry(6, {}, 1000)), again(entry(1, { count: 9 }, 1000))].reduce(errlogReducer, paused);
    expect(state.order).toEqual(paused.order);
    expect(state.rows).toBe(paused.rows);
    expect(state.waiting.size).toBe(2);
    const resumed = errlogReducer(state, { type: 'pause', height });
    expect(resumed.order[0]).toBe(6);
    expect(isFollowing(resumed)).toBe(true);
  });

  it('updates the shown rows after a pause further down', () => {
    const state = run(
      loaded(5),
      down,
      { type: 'pause', height },
      fresh(entry(6, {}, 1000)),
      again(entry(1, { count: 9 }, 1000)),
      { type: 'pause', height },
    );
    expect(state.order).toEqual([5, 4, 3, 2, 1]);
    expect(state.rows.get(1)?.count).toBe(9);
    expect(state.waiting.size).toBe(2);
  });

  it('keeps the selected row through a filter that it passes', () => {
    const state = run(loaded(5), down, down, { type: 'filter', filter: { level_max: 4 } }, loaded(5));
    expect(state.cursor.id).toBe(3);
  });

  it('adds further blocks without doubles, and knows the end', () => {
    const state = run({ type: 'loaded', rows: rows(10, 6), total: 10, atMs: 1 }, block(5, rows(5, 3), 10, 3));
    expect(state.order).toEqual([10, 9, 8, 7, 6, 5, 4, 3]);
    const ended = errlogReducer(state, block(8, [], 10, 100));
    expect(ended.total).toBe(8);
  });

  it('moves its rows to their present places when a block shows that new ones came on top', () => {
    const state = run({ type: 'loaded', rows: rows(10, 6), total: 10, atMs: 1 }, block(5, rows(8, 4), 13, 5));
    expect([state.order, state.start]).toEqual([[10, 9, 8, 7, 6, 5, 4], 3]);
  });

  it('counts on where the server stopped counting, up to the end of the list', () => {
    const capped = run({ type: 'loaded', rows: rows(700, 601), total: 500, capped: true, atMs: 1 });
    expect([capped.capped, capped.total]).toEqual([true, 500]);
    const more = errlogReducer(capped, { ...block(500, rows(200, 101), 600, 100), capped: true } as ErrlogAction);
    expect([more.capped, more.total]).toEqual([true, 600]);
    const end = errlogReducer(more, { ...block(600, rows(100, 51), 650, 100), capped: true } as ErrlogAction);
    expect([end.capped, end.total]).toEqual([false, 650]);
  });

  it('begins at the top when the filter changes further down', () => {
    const end = run(loadedPart, { type: 'moveTo', index: 99_999, height }, block(99_900, rows(100, 1), 100_000, 100));
    const filtered = errlogReducer(end, { type: 'filter', filter: { level_max: 4 } });
    expect([filtered.cursor.id, filtered.start]).toEqual([null, 0]);
  });

  it('finds missed groups by their time while the first rows are not loaded', () => {
    const end = run(loadedPart, { type: 'moveTo', index: 99_999, height }, block(99_900, rows(100, 1), 100_000, 100));
    const peeked = errlogReducer(end, { type: 'peeked', rows: rows(100_002, 99_903), total: 100_002 });
    expect([[...peeked.waiting.keys()], aheadBy(peeked), peeked.missed]).toEqual([[100_002, 100_001], 2, false]);
  });

  it('reads the first rows again when it goes back to the top from elsewhere', () => {
    const end = run(loadedPart, { type: 'moveTo', index: 99_999, height }, block(99_900, rows(100, 1), 100_000, 100));
    const top = errlogReducer(end, { type: 'moveTo', index: 0, height });
    expect([top.order, top.start, isFollowing(top), top.waiting.size]).toEqual([[], 0, true, 0]);
  });

  it('holds at most 1,000 rows, however far one scrolls', () => {
    let state = run(loadedPart);
    for (let at = 100; at < 5_000; at += 100) {
      state = errlogReducer(state, block(at, rows(100_000 - at, 99_901 - at), 100_000, 100));
    }
    expect([state.order.length, state.rows.size, state.start]).toEqual([1_000, 1_000, 4_000]);
  });

  it('drops the oldest rows beyond 1,000 while following', () => {
    const state = run(loaded(1_000), fresh(...rows(1_200, 1_001)));
    expect([state.order.length, state.rows.size, state.total]).toEqual([1_000, 1_000, 1_200]);
    expect([state.order[0], state.order.at(-1)]).toEqual([1_200, 201]);
  });

  it('drops the waiting groups when the filter changes', () => {
    const state = run(loaded(5), down, fresh(entry(6, {}, 1000)), { type: 'filter', filter: { level_max: 3 } });
    expect(state.waiting.size).toBe(0);
  });

  it('keeps a row that no longer passes the filter while paused', () => {
    const open = { type: 'filter', filter: { state: 'new' } } as const;
    const paused = run(loaded(3), open, loaded(3), { type: 'pause', height });
    const state = errlogReducer(paused, again(entry(2, { state: 'resolved' }, 1000)));
    expect(state.order).toEqual([3, 2, 1]);
    expect(state.rows).toBe(paused.rows);
  });

  it('does not insert late groups below rows that are not loaded', () => {
    const state = run({ type: 'loaded', rows: rows(10, 6), total: 10, atMs: 1 }, fresh(entry(3, { log_time: 1 })));
    expect(state.order).toEqual([10, 9, 8, 7, 6]);
    expect(state.total).toBe(11);
  });

  it('keeps events that arrive before an answer', () => {
    const state = run(loaded(3), fresh(entry(4, {}, 1000)), again(entry(2, { count: 5, log_time: 1002 })), loaded(3));
    expect(state.order[0]).toBe(4);
    expect(state.rows.get(2)?.count).toBe(5);
  });

  it('counts a new group once when the list contains it', () => {
    expect(run(loaded(3), fresh(entry(3, {}, 1000))).total).toBe(3);
  });

  it('keeps the newest 2,000 waiting groups and marks the rest as missed', () => {
    const held = run(loaded(3), down);
    const some = errlogReducer(held, fresh(...rows(2_003, 4).reverse()));
    expect([some.waiting.size, some.missed]).toEqual([2_000, false]);
    const many = errlogReducer(some, fresh(entry(2_004, {}, 1000), entry(2_005, {}, 1000)));
    expect([many.waiting.size, many.missed]).toEqual([2_000, true]);
    expect([many.waiting.has(5), many.waiting.has(6), many.waiting.has(2_005)]).toEqual([false, true, true]);
    expect(many.total).toBe(2_005);
  });

  it('finds missed groups without moving a row', () => {
    const held = run(loaded(5), down, resync);
    const nothing = errlogReducer(held, { type: 'peeked', rows: rows(5, 1), total: 5 });
    expect([nothing.missed, nothing.waiting.size]).toEqual([false, 0]);
    const some = errlogReducer(held, { type: 'peeked', rows: rows(8, 1), total: 8 });
    expect([some.missed, some.waiting.size, some.order.length]).toEqual([false, 3, 5]);
    const much = errlogReducer(held, { type: 'peeked', rows: rows(300, 201), total: 300 });
    expect([much.missed, much.waiting.size]).toEqual([true, 100]);
  });

  it('stays where it is when it is read again', () => {
    const state = run(loaded(5), down, down, { type: 'loaded', rows: rows(8, 1), total: 8, atMs: 2 });
    expect(state.cursor.id).toBe(3);
    const gone = run(loaded(5), down, { type: 'loaded', rows: rows(3, 1), total: 3, atMs: 2 });
    expect(gone.order).toContain(gone.cursor.id);
  });
});
