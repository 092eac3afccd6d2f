import { expect, it } from 'vitest';
import { lineWidth } from '../../theme/lines.ts';
import { groupLines } from './group-lines.ts';

it('shows each object of a change in one row', () => {
  const objects = Array.from({ length: 9 }, (_, index) => `web-${index}: ${'a long message '.repeat(10)}`);
  const lines = groupLines([{ title: 'new', tone: 'bad', objects }], 60);
  expect(lines).toHaveLength(10);
  for (const line of lines.slice(1)) expect(lineWidth(line)).toBe(60);
});
