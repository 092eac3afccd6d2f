import { describe, expect, it } from 'vitest';
import { endsOf, LAST_DAY_WINDOW, pan, rangeOf, windowOf, zoom } from './chart-window.ts';

describe('the time of the chart', () => {
  it('gets shorter and longer within its limits', () => {
    expect(zoom(LAST_DAY_WINDOW, -1).spanS).toBe(12 * 3600);
    let window = LAST_DAY_WINDOW;
    for (let n = 0; n < 20; n += 1) window = zoom(window, 1);
    expect(window.spanS).toBe(30 * 86_400);
    for (let n = 0; n < 20; n += 1) window = zoom(window, -1);
    expect(window.spanS).toBe(3600);
  });

  it('is the time range, and becomes it', () => {
    const range = { kind: 'span', startS: 3_000, endS: 6_720 } as const;
    expect(windowOf(range, 9_999)).toEqual({ spanS: 3_720, endS: 6_720 });
    expect(rangeOf(windowOf(range, 9_999))).toEqual(range);
    expect(zoom(windowOf(range, 9_999), 1).spanS).toBe(3 * 3600);
    expect(zoom(windowOf(range, 9_999), -1).spanS).toBe(3600);
    expect(windowOf({ kind: 'last', seconds: 600 }, 9_999)).toEqual({ spanS: 600, endS: null });
    expect(windowOf({ kind: 'since', startS: 3_000 }, 9_000)).toEqual({ spanS: 6_000, endS: null });
    expect(windowOf({ kind: 'span', startS: 0, endS: 9_000 }, 9_999)).toEqual({ spanS: 86_400, endS: 9_000 });
    expect(rangeOf(LAST_DAY_WINDOW)).toEqual({ kind: 'last', seconds: 86_400 });
    expect(windowOf(null, 9_999)).toBe(LAST_DAY_WINDOW);
  });

  it('moves back, and follows the time at the present', () => {
    const back = pan(LAST_DAY_WINDOW, -2, 1_000_000);
    expect(back.endS).toBe(1_000_000 - 43_200);
    expect(pan(back, 2, 1_000_000)).toEqual(LAST_DAY_WINDOW);
  });

  it('ends at a whole minute while it follows the time', () => {
    expect(endsOf(LAST_DAY_WINDOW, 1_000_001)).toEqual({ startS: 1_000_020 - 86_400, endS: 1_000_020 });
    expect(endsOf({ spanS: 60, endS: 77 }, 1_000)).toEqual({ startS: 17, endS: 77 });
  });
});
