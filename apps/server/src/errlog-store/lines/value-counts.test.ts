import { describe, expect, it } from 'vitest';
import { ValueCounts } from './value-counts.ts';

describe('counts of values', () => {
  it('count texts and bytes of the same value together', () => {
    const counts = new ValueCounts();
    const bytes = Buffer.from('x: é, y: é, z: a');
    counts.addBytes(bytes, 3, 5, 2);
    counts.addBytes(bytes, 10, 12, 3);
    counts.addBytes(bytes, 17, 18, 1);
    counts.add('é', 4);
    counts.add('', 9);
    expect(counts.top(1)).toEqual({ values: [{ value: 'é', count: 9 }], other: 1, distinct: 2 });
  });

  it('keep many values apart', () => {
    const counts = new ValueCounts();
    for (let i = 0; i < 60_000; i += 1) {
      const bytes = Buffer.from(`10.0.${i % 20_000}`);
      counts.addBytes(bytes, 0, bytes.length, 1);
    }
    const { values, other, distinct } = counts.top(3);
    expect(values).toEqual(['0', '1', '10'].map((end) => ({ value: `10.0.${end}`, count: 3 })));
    expect({ other, distinct }).toEqual({ other: 3 * 19_997, distinct: 20_000 });
  });

  it('count what is beyond their bounds together', () => {
    const counts = new ValueCounts();
    const bytes = Buffer.from(`${'v'.repeat(9_000)}${'w'.repeat(9_000)}`);
    // Each is longer by a byte: together they have 18 MB.
    for (let i = 1; i <= 6_000; i += 1) counts.addBytes(bytes, 9_000 - i, 9_000, 1);
    for (let i = 0; i < 250_000; i += 1) counts.add(String(i), 1);
    const { other, distinct } = counts.top(10);
    expect(distinct).toBeLessThanOrEqual(200_000);
    expect(other + 10).toBe(256_000);
  });
});
