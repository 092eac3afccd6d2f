import { expect, it } from 'vitest';
import { diskLimits } from './disk-limits.ts';

const MEGABYTE = 1024 * 1024;

it('gives the write-ahead log and the reserve a tenth of a bound each', () => {
  expect(diskLimits(20_000_000)).toEqual({
    isBounded: true,
    reserveBytes: MEGABYTE,
    walBytes: 2_000_000,
    walPages: 485,
  });
  expect(diskLimits(10 ** 12)).toMatchObject({ reserveBytes: 16 * MEGABYTE, walBytes: 32 * MEGABYTE });
  expect(diskLimits()).toMatchObject({ isBounded: false, reserveBytes: 16 * MEGABYTE, walPages: 28_000 });
});
