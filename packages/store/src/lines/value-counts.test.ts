import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ValueCounts } from './value-counts.ts';

describe('counts of values', () => {
  it('have the most frequent values first, and the sum of the others', () => {
    const value = fc.constantFrom('a', 'aa', 'b', 'é', 'z', '0.0.0.0', '255.255.255.255');
    const form = fc.constantFrom('text', 'bytes', 'address');
    const seen = fc.record({ value, n: fc.integer({ min: 1, max: 3 }), form });
    fc.assert(
      fc.property(fc.array(seen), fc.integer({ min: 1, max: 6 }), (all, max) => {
        const counts = new ValueCounts();
        counts.add('', 9);
        const expected = new Map<string, number>();
        for (const { value, n, form } of all) {
          const bytes = Buffer.from(`x: ${value}, y`);
          if (form === 'text') counts.add(value, n);
          else if (form === 'address' && value.includes('.'))
            counts.addAddress(value === '0.0.0.0' ? 0 : 2 ** 32 - 1, n);
          else counts.addBytes(bytes, 3, bytes.length - 3, n);
          expected.set(value, (expected.get(value) ?? 0) + n);
        }
        const sorted = [...expected].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
        expect(counts.top(max)).toEqual({
          values: sorted.slice(0, max).map(([value, count]) => ({ value, count })),
          other: sorted.slice(max).reduce((sum, [, n]) => sum + n, 0),
          distinct: sorted.length,
          complete: true,
        });
      }),
    );
  });

  it('keep many values apart', () => {
    const counts = new ValueCounts();
    for (let i = 0; i < 30_000; i += 1) {
      const bytes = Buffer.from(`10.0.${i % 10_000}`);
      counts.addBytes(bytes, 0, bytes.length, 1);
    }
    const { values, other, distinct, complete } = counts.top(3);
    expect(values).toEqual(['0', '1', '10'].map((end) => ({ value: `10.0.${end}`, count: 3 })));
    expect({ other, distinct, complete }).toEqual({ other: 3 * 9_997, distinct: 10_000, complete: true });
    const addresses = new ValueCounts();
    for (let i = 0; i < 60_000; i += 1) addresses.addAddress(2 ** 32 - 1 - (i % 20_000) * 65_536, 1 + Number(i === 7));
    expect(addresses.top(1)).toEqual({
      values: [{ value: '255.248.255.255', count: 4 }],
      other: 59_997,
      distinct: 20_000,
      complete: true,
    });
  });

  it('count what is beyond their bounds together, and say that another value may be more frequent', () => {
    const counts = new ValueCounts();
    const bytes = Buffer.from(`${'v'.repeat(9_000)}${'w'.repeat(9_000)}`);
    // Each is longer by a byte: together they have 18 MB.
    for (let i = 1; i <= 6_000; i += 1) counts.addBytes(bytes, 9_000 - i, 9_000, 1);
    const texts = new ValueCounts();
    for (let i = 0; i < 250_000; i += 1) for (const each of [counts, texts]) each.add(String(i), 1);
    expect(texts.top(10).complete).toBe(false);
    const addresses = new ValueCounts();
    for (let i = 0; i < 250_000; i += 1) addresses.addAddress(i, 1);
    expect(addresses.top(10)).toMatchObject({ other: 249_990, distinct: 200_000, complete: false });
    const { other, distinct, complete } = counts.top(10);
    expect(complete).toBe(false);
    expect(distinct).toBeLessThanOrEqual(200_000);
    expect(other + 10).toBe(256_000);
  });
});
