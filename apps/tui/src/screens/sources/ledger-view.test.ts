import type { LedgerPage } from '@quarterdeck/core';
import { build } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { stepsOf } from './ledger-view.ts';

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
