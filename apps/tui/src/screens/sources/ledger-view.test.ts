import type { LedgerPage } from '@quarterdeck/core';
import { build } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { glyphsOf } from '../../theme/glyphs.ts';
import { ledgerLines, stepsOf } from './ledger-view.ts';

const END = 1_763_000_040;
const page = (...minutesAgo: number[]): LedgerPage => ({
  data: minutesAgo.map((ago) => build.ledgerRow({ minute: Math.floor(END / 60 - ago) * 60, received: 10 })),
  meta: { complete: true, gaps: [] },
});

describe('the chart of a ledger', () => {
  it('has a step for each minute where there is room', () => {
    const { minutes, counts } = stepsOf(page(0, 1, 60), END - 3_600, END, 100);
    expect(minutes).toBe(1);
    expect(counts).toHaveLength(61);
    expect([counts[0], counts.at(-2), counts.at(-1)]).toEqual([10, 10, 10]);
  });

  it('adds minutes up where there is none', () => {
    const { minutes, counts } = stepsOf(page(0, 1, 60), END - 3_600, END, 20);
    expect(minutes).toBe(4);
    expect(counts.length).toBeLessThanOrEqual(20);
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(30);
  });

  it('begins with the oldest row where the range has no start', () => {
    const { minutes, counts } = stepsOf(page(0, 1_440), 0, END, 60);
    expect(minutes).toBe(25);
    expect(counts[0]).toBe(10);
    expect(stepsOf(page(), 0, END, 60).counts.length).toBeLessThanOrEqual(61);
  });
});

describe('the ledger of a source', () => {
  it('says how many lines have no known time or level, and what is not stored', () => {
    const ledger: LedgerPage = {
      data: [
        build.ledgerRow({ minute: END, lines_without_time: 1_200, dropped: { sentry_session: 3 } }),
        build.ledgerRow({ minute: END - 60, lines_without_level: 7, dropped: { sentry_session: 1 } }),
      ],
      meta: { complete: true, gaps: [] },
    };
    const read = { ledger, services: [], newest: undefined, startS: END - 3_600, endS: END };
    const lines = ledgerLines(read, glyphsOf({ ascii: true, charts: 'block' }), END * 1000, 100);
    const text = lines.map((line) => line.map((part) => part.text).join('')).join('\n');
    expect(text).toMatch(/Of these +1,200: without a known time/);
    expect(text).toMatch(/Of these +7: without a known level/);
    expect(text).toMatch(/Not stored +4: items of Sentry, session/);
  });
});
