import type { Line, LinePage } from '@quarterdeck/sdk';
import { createBuilders } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { locateCursor } from '../lists/cursor.ts';
import { type FeedEvent, STREAM_START } from '../live/feed.ts';
import { FOLLOWED_ROWS, linesReducer, ROWS_MAX, WAITING_MAX } from './lines-reducer.ts';
import { cursorOf, EMPTY, isFollowing, type LinesAction, type LinesState } from './lines-state.ts';

const build = createBuilders();
const HEIGHT = 10;

/** Line number n, a second after the one before. */
const line = (n: number): Line =>
  build.line({ id: String(n), time: 1_000 + n, log: `line ${n}`, group: 1, fields: {} });
const lines = (from: number, to: number): Line[] => Array.from({ length: to - from + 1 }, (_, at) => line(from + at));

/** A page, newest first, as the server answers. */
const page = (from: number, to: number, meta: Partial<LinePage['meta']> = {}): LinePage => ({
  data: lines(from, to).toReversed(),
  meta: { before: from > 1 ? `b${from}` : null, after: null, scanned: 1, complete: true, ...meta },
});
const events = (...data: Line[]): LinesAction => ({
  type: 'events',
  events: data.map((one): FeedEvent => ({ id: one.id, type: 'line', data: one })),
});
const run = (...actions: LinesAction[]): LinesState => actions.reduce(linesReducer, EMPTY);
const loaded = (from: number, to: number): LinesAction => ({ type: 'loaded', page: page(from, to), atMs: 1 });
const move = (by: number): LinesAction => ({ type: 'move', by, height: HEIGHT });

const numbers = ({ rows }: LinesState): number[] => rows.map((row) => Number(row.line.id));
const ends = (state: LinesState): (number | undefined)[] => [numbers(state)[0], numbers(state).at(-1)];
/** The selected line, and the first one in view. */
function view(state: LinesState): (number | undefined)[] {
  const ids = state.rows.map(({ id }) => id);
  const { index, offset } = locateCursor(cursorOf(state, HEIGHT), ids, HEIGHT);
  return [numbers(state)[index], numbers(state)[offset]];
}

describe('the lines', () => {
  it('show a line once that the answer and the stream have', () => {
    const before = run(events(line(99), line(100), line(101)), loaded(51, 100));
    expect(ends(before)).toEqual([51, 101]);
    expect(numbers(run(loaded(51, 100), events(line(100), line(101)))).length).toBe(51);
  });

  it('sort a late line into its place', () => {
    const state = run(loaded(1, 5), events(line(9), line(7)));
    expect(numbers(state)).toEqual([1, 2, 3, 4, 5, 7, 9]);
  });

  it('hold the selected line while its details are open', () => {
    const reading = run(loaded(51, 100), { type: 'read', open: true, height: HEIGHT }, events(line(101)));
    expect(view(reading)[0]).toBe(100);
    const closed = linesReducer(reading, { type: 'read', open: false, height: HEIGHT });
    expect([view(closed)[0], isFollowing(closed)]).toEqual([101, true]);
  });

  it('take older lines on top without moving the view', () => {
    const up = run(loaded(51, 100), { type: 'moveTo', index: 3, height: HEIGHT });
    const { older } = up;
    const more = linesReducer(up, { type: 'loadedOlder', place: older ?? {}, page: page(1, 50) });
    expect(older).toEqual({ before: 'b51' });
    expect(more.older).toBeNull();
    expect(view(more)).toEqual(view(up));
    expect(ends(more)).toEqual([1, 100]);
  });

  it('ignore older lines of a list that was read again meanwhile', () => {
    const state = run(loaded(51, 100));
    expect(linesReducer(state, { type: 'loadedOlder', place: { before: 'b51' }, page: page(1, 50) })).toBe(state);
  });

  it('keep a bounded number while following, and read what was removed by its time', () => {
    const state = run(loaded(1, 500), events(...lines(501, 3_000)));
    expect(state.rows.length).toBe(FOLLOWED_ROWS);
    expect(ends(state)).toEqual([2_001, 3_000]);
    expect(state.older).toEqual({ end_time: 1_000 + 2_001 });
  });

  it('keep a bounded number while older lines are read, and read newer ones again', () => {
    let state = run(loaded(9_501, 10_000), { type: 'oldest' });
    for (let from = 9_001; from >= 1; from -= 500) {
      const place = state.older ?? {};
      state = linesReducer(state, {
        type: 'loadedOlder',
        place,
        page: page(from, from + 499, { after: `a${from + 499}` }),
      });
    }
    expect(state.rows.length).toBeLessThanOrEqual(ROWS_MAX);
    expect([view(state)[0], state.older, state.seekS]).toEqual([1, null, null]);
    const last = numbers(state).at(-1) ?? 0;
    expect(state.newer).toEqual({ after: `a${last}` });
    const more = linesReducer(state, { type: 'loadedNewer', page: page(last + 1, last + 500, { after: 'next' }) });
    expect(numbers(more).at(-1)).toBe(last + 500);
    expect(more.newer).toEqual({ after: 'next' });
    const whole = linesReducer(more, { type: 'loadedNewer', page: page(last + 501, last + 600) });
    expect(whole.newer).toBe('live');
  });

  it('go to a time among the loaded lines, or read older ones until it', () => {
    const near = run(loaded(51, 100), { type: 'goTo', timeS: 1_070.5 });
    expect([view(near)[0], near.seekS]).toEqual([70, null]);
    const far = run(loaded(51, 100), { type: 'goTo', timeS: 1_030 });
    expect([view(far)[0], far.seekS]).toEqual([51, 1_030]);
    const there = linesReducer(far, { type: 'loadedOlder', place: far.older ?? {}, page: page(21, 50) });
    expect([view(there)[0], there.seekS]).toEqual([30, null]);
    const before = run(loaded(1, 100), { type: 'goTo', timeS: 5 });
    expect([view(before)[0], before.seekS]).toEqual([1, null]);
    expect(isFollowing(run(loaded(1, 100), move(-9), { type: 'goTo', timeS: 9_999 }))).toBe(true);
  });

  it('count lines beyond those that can wait, and say that they are not loaded', () => {
    const held = run(loaded(1, 100), move(-1), events(...lines(101, 101 + WAITING_MAX)));
    expect(held.newer).toBe('unknown');
    expect(held.waitingCount).toBe(WAITING_MAX + 1);
    const atEnd = linesReducer(held, { type: 'moveTo', index: 99, height: HEIGHT });
    expect([view(atEnd)[0], isFollowing(atEnd)]).toEqual([100, false]);
    const asked = linesReducer(atEnd, { type: 'follow' });
    expect(asked.reads).toBe(held.reads + 1);
    const followed = linesReducer(asked, loaded(802, 1_301));
    expect([ends(followed), isFollowing(followed)]).toEqual([[802, 1_301], true]);
  });

  it('read the newest again after the stream began, and keep their place where both overlap', () => {
    const held = run(loaded(51, 100), move(-1), { type: 'events', events: [STREAM_START] });
    expect([held.reads, held.newer]).toEqual([1, 'unknown']);
    const again = linesReducer(held, loaded(71, 120));
    expect([ends(again), again.newer, view(again)[0]]).toEqual([[51, 120], 'live', 99]);
    const apart = linesReducer(held, loaded(500, 600));
    expect([ends(apart), apart.newer, view(apart)[0]]).toEqual([[51, 100], 'unknown', 99]);
  });

  it('count lines that the stream left out until they are read', () => {
    const missed = run(loaded(1, 100), {
      type: 'events',
      events: [{ id: '', type: 'line.missed', data: { count: 40, exact: true } }],
    });
    expect([missed.missed, missed.reads]).toEqual([40, 0]);
    expect(linesReducer(missed, move(-1)).reads).toBe(1);
    const read = linesReducer(missed, loaded(90, 200));
    expect([read.missed, ends(read)]).toEqual([0, [90, 200]]);
  });
});
