import { describe, expect, it } from 'vitest';
import { packBatch, type ReadBatch, unpackBatch, unpackInParts } from './packed-batch.ts';

const senders = ['gw1', 'gw2'].map((name) => ({ nodeType: 1, nodeId: 7, name, address: '192.0.2.1' }));

/** Lines of which those that `hasFields` selects have a field of their own. */
function batchOf(size: number, hasFields: (i: number) => boolean): ReadBatch {
  const lines = Array.from({ length: size }, (_, i) => ({
    line: {
      level: i % 9,
      log: `line ${i}`,
      logTime: 1_700_000_000 + i,
      appId: i % 5,
      reqId: i % 2 === 0 ? '' : `r${i}`,
      count: i + 1,
      ...(i % 3 === 0 ? { service: 'shop' } : {}),
      ...(hasFields(i) ? { fields: { order: `${i}` } } : {}),
    },
    sender: senders[i % 2] as (typeof senders)[0],
  }));
  return { lines, fingerprints: lines.map((_, i) => `f${i}`), refused: [], bodyHash: undefined };
}

describe('a packed batch', () => {
  it.each([
    ['all lines', () => true],
    ['no line', () => false],
    ['few lines', (i: number) => i === 0 || i === 499 || i === 700],
  ] as const)('is the same when unpacked, with fields in %s', (_, hasFields) => {
    for (const size of [1, 250, 251, 701]) {
      const batch = batchOf(size, hasFields);
      const packed = packBatch(batch, 0);
      expect(unpackBatch(packed)).toEqual(batch);
      // The bound of waiting text includes the fields: those of one line may be longer than its text.
      const texts = batch.lines.flatMap(({ line: { log, fields } }) => [log, ...Object.values(fields ?? {})]);
      expect(packed.text).toBeGreaterThanOrEqual(texts.join('').length);
    }
  });

  it('comes in parts', () => {
    const { lines } = unpackInParts(
      packBatch(
        batchOf(701, () => true),
        0,
      ),
    );
    expect([...lines].map(({ length }) => length)).toEqual([250, 250, 201]);
  });
});
