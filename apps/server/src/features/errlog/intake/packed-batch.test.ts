import { type SentLine, toColumns } from '@quarterdeck/store/line-columns';
import { expect, it } from 'vitest';
import { packBatch, unpackBatch } from './packed-batch.ts';

const sender = { nodeType: 1, nodeId: 7, name: 'gw1', address: '192.0.2.1' };

it('is the same when unpacked, and tells the bytes of its lines', () => {
  const lines = Array.from({ length: 701 }, (_, i): SentLine => {
    const fields = i % 9 === 0 ? { fields: { order: `${i}`, [`rare ${i}`]: 'é' } } : {};
    return { line: { level: 4, log: `line ${i}`, logTime: 1, appId: 0, reqId: `r${i}`, count: 1, ...fields }, sender };
  });
  const batch = { lines: toColumns(lines, () => 'f'), refused: [], bodyHash: undefined };
  const packed = packBatch({ ...batch, reply: '{}' });
  const { texts, ...columns } = unpackBatch(packed).lines;
  expect(Buffer.from(texts)).toEqual(Buffer.from(batch.lines.texts));
  expect(columns).toEqual({ ...batch.lines, texts: undefined });
  expect(packed).toMatchObject({ size: 701, rejected: 0, reply: '{}' });
  // The bound of waiting bytes includes the fields: those of one line may be longer than its text.
  const values = lines.flatMap(({ line: { log, reqId, fields } }) => [log, reqId, ...Object.values(fields ?? {})]);
  expect(packed.bytes).toBeGreaterThanOrEqual(Buffer.byteLength(values.join('')));
});
