import { expect, it } from 'vitest';
import { boundsOf, rangeOf, rangeParams, readRange } from './range.ts';

const NOW_MS = new Date(2026, 10, 20, 14, 3, 27).getTime();
const NOW_S = NOW_MS / 1000;

it.each(['15m', '24h', '2h30m', 'all'])('the range %s is in the address and comes back from it', (typed) => {
  const read = readRange(typed, NOW_MS);
  const range = 'value' in read ? read.value : undefined;
  expect(range).toBeDefined();
  if (range === undefined) return;
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(rangeParams(range))) if (value !== undefined) params.set(name, value);
  expect(boundsOf(rangeOf(params), NOW_S)).toEqual(boundsOf(range, NOW_S));
});

it('typed moments are ends for requests', () => {
  const read = readRange('10:00 to 11:30', NOW_MS);
  const startS = new Date(2026, 10, 20, 10).getTime() / 1000;
  expect(read).toEqual({ value: { kind: 'span', startS, endS: startS + 5_400 } });
  expect(readRange('since 10:00', NOW_MS)).toEqual({ value: { kind: 'span', startS, endS: undefined } });
});

it('a text that is no range says what is allowed', () => {
  expect(readRange('soonish', NOW_MS)).toEqual({ problem: expect.stringContaining('Allowed:') });
});
