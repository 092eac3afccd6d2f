import type { Line, LinePage } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { linesQuery } from './lines-query.ts';
import { EMPTY_LINES, LIVE_MAX, type LinesAction, type LinesState, linesReducer } from './lines-state.ts';

const QUERY = linesQuery(new URLSearchParams('live=1'));
const META: LinePage['meta'] = { before: 'older', after: null, scanned: 0, complete: true };

const line = (id: number): Line => ({
  id: String(id),
  time: id,
  level: 4,
  log: `line ${id}`,
  fields: {},
  group: 1,
  src: 1,
  source: 'web1',
  host: 'web1',
  service: '',
  app_id: 0,
  req_id: '',
  count: 1,
});
/** Lines with these ids, the newest first. */
const lines = (from: number, to: number): Line[] =>
  Array.from({ length: to - from + 1 }, (_, index) => line(to - index));
const after = (actions: readonly LinesAction[], state: LinesState = EMPTY_LINES): LinesState =>
  actions.reduce(linesReducer, state);
const ids = ({ lines: shown }: LinesState): string[] => shown.map(({ id }) => id);

const READ = after([
  { type: 'started', of: QUERY },
  { type: 'read', lines: lines(1, 3), meta: META, atMs: 1 },
]);

describe('lines that arrive', () => {
  it('come on top, each once', () => {
    const state = after([{ type: 'arrived', lines: lines(3, 5), missed: 0 }], READ);
    expect(ids(state)).toEqual(['5', '4', '3', '2', '1']);
  });

  it('wait while the list is held, and are shown in their order afterwards', () => {
    const held = after(
      [
        { type: 'hold', isHeld: true },
        { type: 'arrived', lines: lines(4, 5), missed: 0 },
        { type: 'arrived', lines: lines(6, 6), missed: 2 },
      ],
      READ,
    );
    expect(ids(held)).toEqual(['3', '2', '1']);
    expect([held.waiting.length, held.missed]).toEqual([3, 2]);
    const released = after([{ type: 'hold', isHeld: false }], held);
    expect(ids(released)).toEqual(['6', '5', '4', '3', '2', '1']);
    expect(released.waiting).toEqual([]);
  });

  it('never make the list longer than its bound', () => {
    const many = after([{ type: 'arrived', lines: lines(4, 2 * LIVE_MAX), missed: 0 }], READ);
    expect(many.lines.length).toBe(LIVE_MAX);
    expect(many.lines[0]?.id).toBe(String(2 * LIVE_MAX));
    const held = after(
      [
        { type: 'hold', isHeld: true },
        { type: 'arrived', lines: lines(4, 3 * LIVE_MAX), missed: 0 },
      ],
      READ,
    );
    expect(held.waiting.length).toBe(LIVE_MAX);
  });
});

describe('older lines', () => {
  it('come below those of the same query and place alone', () => {
    const older = {
      type: 'older',
      of: QUERY,
      before: 'older',
      lines: lines(-2, 0),
      meta: { ...META, before: null },
    } as const;
    const state = after([older], READ);
    expect(ids(state)).toEqual(['3', '2', '1', '0', '-1', '-2']);
    expect(state.before).toBeNull();
    expect(after([older], state)).toBe(state);
    expect(after([{ ...older, of: linesQuery(new URLSearchParams()) }], READ)).toBe(READ);
  });
});

it('a failure keeps the lines, and another query does not', () => {
  const failure = { message: 'no', kind: 'unreachable', fields: {} } as const;
  const failed = after([{ type: 'failed', failure }], READ);
  expect([ids(failed).length, failed.failure]).toEqual([3, failure]);
  const other = after([{ type: 'started', of: linesQuery(new URLSearchParams('filter=x')) }], failed);
  expect([other.lines, other.failure, other.atMs]).toEqual([[], undefined, undefined]);
});
