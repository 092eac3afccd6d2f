import { OTHER_NAME } from '@quarterdeck/intake';
import { linesOf, toColumns } from '@quarterdeck/store/line-columns';
import { expect, it } from 'vitest';
import { NameLimits } from './name-limits.ts';
import type { ReadBatch } from './packed-batch.ts';

const HOUR_S = 3_600;

/** A batch of one credential with a line of each host. */
const batchOf = (...hosts: readonly string[]): ReadBatch => ({
  lines: toColumns(
    hosts.map((name) => ({
      line: { level: 4, log: 'x', logTime: 1, appId: 0, reqId: '', count: 1 },
      sender: { nodeType: 0, nodeId: -1, name, address: '', credential: 'token 1' },
    })),
    () => 'f',
  ),
  refused: [],
  bodyHash: undefined,
  from: { name: 'shipper', address: '192.0.2.1', credential: 'token 1' },
});
const hosts = (prefix: string) => Array.from({ length: 1_000 }, (_, i) => `${prefix}${i}`);
const namesOf = (batch: ReadBatch) => linesOf(batch.lines).map(({ sender }) => sender.name);

it('admits a thousand new hosts an hour, and any that were known before a restart', () => {
  const limits = new NameLimits();
  limits.know({ hosts: hosts('old'), services: [] });
  for (const known of [hosts('new'), hosts('old')]) {
    const batch = batchOf(...known);
    expect(limits.apply(batch, 1)).toBe(batch);
  }
  expect(namesOf(limits.apply(batchOf('new7', 'more', 'more'), 1))).toEqual(['new7', OTHER_NAME, OTHER_NAME]);
  expect(limits.others).toBe(2);
  expect(namesOf(limits.apply(batchOf('more'), 1 + HOUR_S))).toEqual(['more']);
});
