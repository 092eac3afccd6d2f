import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { mergeSegments } from './merge-segments.ts';
import { encodeSegment, type GroupLines, type SegmentGroup, type SegmentLine } from './segment.ts';
import { SegmentReader } from './segment-reader.ts';

const group = (id: number, service = 's'): SegmentGroup => ({ id, level: id % 8, src: id * 2, appId: id, service });

const line = fc.record({
  group: fc.nat({ max: 5 }),
  gap: fc.nat({ max: 2 }),
  time: fc.nat({ max: 4_000_000_000 }),
  count: fc.integer({ min: 1, max: 5 }),
  reqId: fc.oneof(fc.constant(''), fc.string({ maxLength: 6 })),
  log: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  fields: fc.option(fc.dictionary(fc.string({ maxLength: 2 }), fc.string({ maxLength: 4 }), { minKeys: 1 }), {
    nil: undefined,
  }),
});

/** Lines in the order of arrival, split into batches. */
const batches = fc.array(fc.array(line, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 6 }).map((all) => {
  let id = 3;
  return all.map((batch) =>
    batch.map(({ gap, ...rest }): SegmentLine & { group: number } => {
      id += 1 + gap;
      return { ...rest, id };
    }),
  );
});

function byGroup(lines: readonly (SegmentLine & { group: number })[]): GroupLines[] {
  return [...Map.groupBy(lines, (one) => one.group)]
    .map(([id, list]) => ({ group: group(id), lines: list.map(({ group: _, ...one }) => one) }))
    .sort((a, b) => a.group.id - b.group.id);
}

const contentOf = (reader: SegmentReader): GroupLines[] =>
  reader.content().map(({ group: { id, level, src, appId, service }, lines }) => ({
    group: { id, level, src, appId, service },
    lines,
  }));

describe('merged segments', () => {
  it('have every line of the segments once, as if all had arrived in one batch', () => {
    fc.assert(
      fc.property(batches, (all) => {
        const merged = mergeSegments(all.map((batch) => encodeSegment(byGroup(batch), 'fresh')));
        const whole = encodeSegment(byGroup(all.flat()), 'packed');
        expect(contentOf(new SegmentReader(merged))).toEqual(byGroup(all.flat()));
        const { numbers: _n, groups, filter, ...row } = merged;
        const { numbers: _m, groups: wantedGroups, filter: wantedFilter, ...wanted } = whole;
        expect(row).toEqual(wanted);
        expect(Buffer.compare(groups, wantedGroups)).toBe(0);
        expect(Buffer.compare(filter, wantedFilter)).toBe(0);
      }),
      { numRuns: atMost(25, 100) },
    );
  });

  it('have the service that their group was last known by', () => {
    const parts = ['', 'nginx'].map((service, i) =>
      encodeSegment(
        [{ group: group(1, service), lines: [{ id: 10 + i, time: 5, count: 1, reqId: '', log: 'x' }] }],
        'fresh',
      ),
    );
    expect(new SegmentReader(mergeSegments(parts)).groups).toMatchObject([{ id: 1, service: 'nginx', n: 2 }]);
  });

  it('take no space for each line where each line has a name of its own', () => {
    const lines = Array.from({ length: 600 }, (_, i) => ({
      id: i + 1,
      time: 1,
      count: 1,
      reqId: '',
      log: 'x',
      fields: Object.fromEntries(Array.from({ length: 20 }, (_, k) => [`f${i}x${k}`, 'v'])),
    }));
    const reader = new SegmentReader(encodeSegment([{ group: group(1), lines }], 'packed'));
    expect(reader.row.numbers.length).toBeLessThan(200_000);
    expect(reader.fields(599)).toEqual(lines[599]?.fields);
    expect(reader.extras.values('f7x3')?.flatMap((value, place) => (value === 0 ? [] : [[place, value]]))).toEqual([
      [7, 'v'],
    ]);
  });
});
