import type { ErrlogSource } from '@quarterdeck/sdk';
import { build } from '@quarterdeck/sdk/testing';
import { expect, it } from 'vitest';
import { withTraffic } from './ledger.ts';

const source = (id: number, over: Partial<ErrlogSource> = {}): ErrlogSource =>
  build.errlogSource({ id, name: 'api', address: `10.0.0.${id}`, ...over });

it('adds the traffic of the ledger to sources, and tells equal names apart', () => {
  const row = (src: number, minute: number, stored: number, dropped = {}) =>
    build.ledgerRow({ src, minute, received: stored, stored, grouped: stored, dropped });
  const ledger = {
    data: [row(1, 120, 7, { missing: 3, flood: 2 }), row(1, 60, 5, { quota: 4, cut: 1 }), row(2, 180, 0, { quota: 9 })],
    meta: { complete: true, gaps: [] },
  };
  const rows = withTraffic([source(1), source(2), source(3, { name: 'db-1' })], ledger, 3_600 + 130);
  // Lines of a flood and cut lines are stored, and the last minute is one with lines.
  expect(rows[0]?.minutes.slice(0, 2)).toEqual([7, 0]);
  expect(rows[0]?.rate).toBe(0);
  expect(withTraffic([source(1)], ledger, 240)[0]?.rate).toBeCloseTo(12 / 5);
  expect(rows.map(({ title, lines, lost, last }) => [title, lines, lost, last])).toEqual([
    ['api (10.0.0.1)', 12, 7, 120],
    ['api (10.0.0.2)', 0, 9, null],
    ['db-1', 0, 0, null],
  ]);
});
