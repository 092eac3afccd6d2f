// Chunks of version 0.1 on a real database become segments, also where lines arrive and the server ends meanwhile.
import { type Database, statement } from '@quarterdeck/core/db';
import { describe, expect, it } from 'vitest';
import { createPacker } from '../../../../../packages/store/src/packing/packer.ts';
import type { Occurrence } from '../../../../../packages/store/src/tables/occurrence-chunk.ts';
import { atMost } from '../../../../../test/thoroughness.ts';
import { appendTexts, readAllLines, readAllSegments } from '../../all-lines.ts';
import { type GroupChunk, storeChunks } from '../../old-chunks.ts';
import { openStore } from '../../open-store.ts';

const NOW_S = 1_795_000_000;
const DAY_S = 86_400;
const COUNT = statement('SELECT count(*) AS n FROM errlog_chunk');

const occurrence = (i: number, time: number): Occurrence => ({
  time,
  reqId: i % 4 === 0 ? `req ${i}` : '',
  count: 1 + (i % 3),
  log: `client 10.0.0.${i % 250} timed out`,
  fields: i % 5 === 0 ? { pid: String(i) } : undefined,
});

const chunksOf = (n: number): GroupChunk[] =>
  Array.from({ length: n }, (_, i) => ({
    group: 1 + (i % 6),
    occurrences: Array.from({ length: 1 + (i % 40) }, (__, k) => occurrence(i + k, NOW_S - 3 * DAY_S + i * 60 + k)),
  }));

/** The lines that segments must have. */
const linesOf = (chunks: readonly GroupChunk[]) =>
  chunks
    .filter(({ group }) => group <= 5)
    .flatMap(({ group, occurrences }) => occurrences.map((one) => ({ group, ...one })))
    .map((line, i) => ({ ...line, id: 1 + i, service: line.group === 1 ? 'nginx' : '' }));

const nowMs = () => NOW_S * 1000;
const left = async (db: Database) => (await db.read.sql.get<{ n: number }>(COUNT))?.n;

describe('chunks of version 0.1', () => {
  it('become segments with the lines of all groups that exist, by arrival, from id 1 on', async () => {
    await using store = await openStore();
    const { db } = store;
    const chunks = chunksOf(atMost(1_100, 3_500));
    await storeChunks(db, chunks);
    await appendTexts(db, ['new'], NOW_S);
    // Each server does a slice and ends.
    let slices = 0;
    for (; (await left(db)) !== 0; slices += 1) {
      const packer = createPacker(db, nowMs);
      let calls = 0;
      await packer.convertChunks(() => ++calls > 1);
      await packer.close();
    }
    expect(slices).toBeGreaterThan(1);
    const lines = await readAllLines(db);
    const wanted = linesOf(chunks);
    expect(lines.slice(0, -1)).toEqual(wanted);
    const all = chunks.reduce((sum, { occurrences }) => sum + occurrences.length, 0);
    expect(lines.at(-1)).toMatchObject({ id: all + 1, log: 'new' });
    for (const { day, to_time, packed, filter } of (await readAllSegments(db)).slice(0, -1)) {
      expect([day, packed, filter.length > 0]).toEqual([Math.floor(to_time / DAY_S), 1, true]);
    }
  });

  it('whose lines have times in the future count as arrived today', async () => {
    await using store = await openStore();
    await storeChunks(store.db, [{ group: 1, occurrences: [occurrence(1, NOW_S + 400 * DAY_S)] }]);
    const packer = createPacker(store.db, nowMs);
    await packer.run(() => false);
    expect(await readAllSegments(store.db)).toMatchObject([{ day: Math.floor(NOW_S / DAY_S), n: 1 }]);
    await packer.close();
  });

  it('stay where their group was removed while they were packed', async () => {
    await using store = await openStore();
    const { db } = store;
    const chunks = chunksOf(50);
    await storeChunks(db, chunks);
    let removed = false;
    const write: Database['write'] = async (work, options) => {
      if (!removed) await db.write((tx) => tx.sql.run(statement('DELETE FROM errlog_chunk WHERE errlog_id = 2')));
      removed = true;
      return await db.write(work, options);
    };
    const packer = createPacker({ ...db, dialect: 'sqlite', write, read: db.read }, nowMs);
    await packer.convertChunks(() => false);
    expect([removed, await readAllLines(db)]).toEqual([true, []]);
    await packer.convertChunks(() => false);
    const rest = linesOf(chunks.filter(({ group }) => group !== 2));
    expect(await readAllLines(db)).toEqual(rest);
    await packer.close();
  });
});
