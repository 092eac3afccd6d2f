import type { ErrlogEntry } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { entry } from '../../test/rows.ts';
import type { FeedEvent } from '../live/feed.ts';
import type { TimeRange } from '../times/range.ts';
import { everOf, withoutRange, withRange } from './errlog-range.ts';
import { errlogReducer } from './errlog-reducer.ts';
import { EMPTY, type ErrlogState } from './errlog-state.ts';

const PAST: TimeRange = { kind: 'span', startS: 1_000, endS: 2_000 };
const LAST: TimeRange = { kind: 'last', seconds: 600 };
const NOW_S = 9_000;

/** A group that happened nine times, three of them in the range. */
const GROUP = entry(1, {
  count: 9,
  log_time: 8_900,
  log: 'took 9 ms',
  first_seen: 500,
  count_in_range: 3,
  log_time_in_range: 1_500,
  log_in_range: 'took 3 ms',
});
const OTHER = entry(2, { log_time: 1_200, first_seen: 1_200, count_in_range: 1, log_time_in_range: 1_200 });

function read(range: TimeRange, ...rows: readonly ErrlogEntry[]): ErrlogState {
  const ranged = errlogReducer(EMPTY, { type: 'range', range, nowS: NOW_S });
  return errlogReducer(ranged, { type: 'loaded', rows: rows.map(withRange), total: rows.length, atMs: 1 });
}
const happens = (state: ErrlogState, data: ErrlogEntry, type: FeedEvent['type'] = 'errlog.repeated'): ErrlogState =>
  errlogReducer(state, { type: 'events', events: [{ id: '1', type, data } as FeedEvent] });

describe('an entry in a range', () => {
  it('has count, time and message of the range, and those of all times', () => {
    const row = withRange(GROUP);
    expect(row).toMatchObject({ count: 3, log_time: 1_500, log: 'took 3 ms' });
    expect(everOf(row)).toEqual({ count: 9, log_time: 8_900, log: 'took 9 ms' });
    expect(withoutRange(row)).toEqual(GROUP);
    expect(everOf(withRange(entry(3)))).toBeUndefined();
  });

  it('keeps its place and its counts in a past range when it happens now', () => {
    const { first_seen = 0 } = GROUP;
    const state = happens(read(PAST, GROUP, OTHER), entry(2, { count: 50, log_time: NOW_S, first_seen }));
    expect(state.order).toEqual([1, 2]);
    expect(state.rows.get(2)).toMatchObject({ count: 1, log_time: 1_200, ever: { count: 50 } });
    expect([state.waiting.size, state.missed, state.total]).toEqual([0, false, 2]);
  });

  it('takes a new state in a past range', () => {
    const state = happens(read(PAST, GROUP), entry(1, { ...withoutRange(GROUP), state: 'resolved' }));
    expect(state.rows.get(1)).toMatchObject({ state: 'resolved', count: 3 });
  });

  it('counts up and moves to the top of a range that lasts until now', () => {
    const rows = [
      entry(1, { count: 9, log_time: 8_900, first_seen: 500, count_in_range: 3 }),
      entry(2, { count: 9, log_time: 8_800, first_seen: 500, count_in_range: 4 }),
    ];
    const once = happens(read(LAST, ...rows), entry(2, { count: 11, log_time: 8_990, log: 'again', first_seen: 500 }));
    expect(once.order).toEqual([2, 1]);
    expect(once.rows.get(2)).toMatchObject({ count: 6, log_time: 8_990, log: 'again', ever: { count: 11 } });
    const twice = happens(once, entry(2, { count: 12, log_time: 8_995, first_seen: 500 }));
    expect(twice.rows.get(2)).toMatchObject({ count: 7, ever: { count: 12 } });
  });

  it('is inserted if it is new, and read again if only the server can count it', () => {
    const fresh = happens(read(LAST), entry(7, { count: 2, log_time: 8_990, first_seen: 8_990 }), 'errlog.new');
    expect([fresh.order, fresh.total, fresh.missed]).toEqual([[7], 1, false]);
    const old = happens(read(LAST), entry(7, { count: 20, log_time: 8_990, first_seen: 500 }));
    expect([old.order, old.missed]).toEqual([[], true]);
  });

  it('keeps its counts when this dashboard writes a note', () => {
    const note = errlogReducer(read(PAST, GROUP), {
      type: 'changed',
      rows: [{ ...withoutRange(GROUP), note: 'mine' }],
    });
    expect(note.rows.get(1)).toMatchObject({ note: 'mine', count: 3, log_time: 1_500, ever: { count: 9 } });
  });

  it('stays selected in another range while its details are open', () => {
    const down = errlogReducer(read(PAST, GROUP, OTHER), { type: 'move', by: 1, height: 5 });
    const reading = errlogReducer(down, { type: 'read', open: true, height: 5 });
    const other = errlogReducer(reading, { type: 'range', range: null, nowS: NOW_S });
    const state = errlogReducer(other, { type: 'loaded', rows: [withoutRange(GROUP), OTHER], total: 2, atMs: 2 });
    expect([state.reading, state.cursor.id]).toEqual([true, 2]);
    const closed = errlogReducer(down, { type: 'range', range: null, nowS: NOW_S });
    expect(closed.cursor.id).toBeNull();
  });
});
