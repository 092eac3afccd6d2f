import { expect, it } from 'vitest';
import { unpackOccurrences } from './occurrence-chunk.ts';

const FROM = 1_750_000_000;

it('unpacks chunks as version 0.1 has packed them', () => {
  const data = JSON.stringify([
    'a \u{1f600} b',
    [0],
    [7, 2, 2, '\u{1f601}'],
    [7, 6, 0, ' c', 3],
    [8, 1, 1],
    [9, 0, 0, 'other', 1, 'r1', { pid: '7' }],
  ]);
  const plain = { reqId: '', count: 1, fields: undefined };
  expect(unpackOccurrences(data, FROM)).toEqual([
    { ...plain, time: FROM, log: 'a \u{1f600} b' },
    { ...plain, time: FROM + 7, log: 'a \u{1f601} b' },
    { ...plain, time: FROM + 7, log: 'a \u{1f600} b c', count: 3 },
    { ...plain, time: FROM + 8, log: 'ab' },
    { time: FROM + 9, log: 'other', count: 1, reqId: 'r1', fields: { pid: '7' } },
  ]);
  expect(unpackOccurrences('[""]', FROM)).toEqual([]);
});
