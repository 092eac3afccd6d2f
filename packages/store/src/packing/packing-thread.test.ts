import { expect, it } from 'vitest';
import { encodeSegment, type SegmentLine } from '../segments/segment.ts';
import { isSmall } from './packing-thread.ts';

const group = { id: 1, level: 4, src: 1, appId: 0, service: '' };
const segmentOf = (lines: number, log: string, fields: number) => {
  const line = { log, time: 1, count: 1, reqId: '' };
  const values = Object.fromEntries(Array.from({ length: fields }, (_, i) => [`k${i}`, 'v']));
  const content = Array.from({ length: lines }, (_, i): SegmentLine => ({ ...line, id: i + 1, fields: values }));
  return { ...encodeSegment([{ group, lines: content }], 'fresh'), day: 0, packed: 0 as const };
};

it.each([
  ['a few lines with the most fields', [segmentOf(50, 'x', 128), segmentOf(50, 'x', 128)], true],
  ['short lines with many equal fields', [segmentOf(50, 'x', 128), segmentOf(51, 'x', 128)], false],
  ['long lines', [segmentOf(9, 'x'.repeat(16_000), 0)], false],
])('a task of %s runs where it is: %s', (_name, segments, expected) => {
  expect(isSmall({ segments })).toBe(expected);
});
