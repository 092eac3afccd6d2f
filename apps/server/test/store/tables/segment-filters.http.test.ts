// Filters that have rows of their own.
import { onSqlite } from '@quarterdeck/core/sql';
import { errlogStore } from '@quarterdeck/store';
import { beforeEach, describe, expect, it } from 'vitest';
import { readSegments, replaceSegments, stretchOf } from '../../../../../packages/store/src/packing/segment-table.ts';
import { isInPieces, PIECE_BYTES } from '../../../../../packages/store/src/segments/filter-pieces.ts';
import { findDamage } from '../../../../../packages/store/src/tables/check-stored.ts';
import { useLineReader } from '../../line-reader.ts';
import { DIALECT } from '../../start-api.ts';
import { type ModelLine, NOW_S, SOME_GROUP, storeLines } from '../../stored-lines.ts';

const LINES = 600;
const SEGMENTS = 3;
const RARE = 'needle stack';

const lines = useLineReader();
let model: ModelLine[];

beforeEach(async () => {
  model = [];
  let random = 1;
  const word = () => {
    random = (random * 48_271) % 2_147_483_647;
    return random.toString(36);
  };
  const segments = Array.from({ length: SEGMENTS }, (_, segment) => ({
    kind: 'packed' as const,
    lines: Array.from({ length: LINES }, (__, i) => ({
      ...{ group: SOME_GROUP, gap: 0, late: 0, count: 1, reqId: '', fields: undefined },
      log: `${word()} ${segment === 1 && i === 9 ? RARE : word()} ${word()} ${word()}`,
    })),
  }));
  await storeLines(lines.db, segments, model);
});

const idOf = (segment: number) => segment * LINES + 1;
const change = (sqlite: string) => lines.db.write(({ sql }) => sql.run(onSqlite(sqlite)));
const read = <R>(sqlite: string) => lines.db.read.sql.all<R>(onSqlite(sqlite));

/** Ids of the lines with a text, the damaged segments that the search meets, and its statements. */
async function find(q: string) {
  const { ids, damaged, statements } = await lines.readPage({ q });
  return { ids, damaged: damaged.map(({ id }) => id), asked: statements.map(({ statement: { sqlite } }) => sqlite) };
}

async function damage() {
  const found: unknown[] = [];
  for await (const { id, parts } of findDamage(lines.db.read)) found.push([id, parts]);
  return found;
}

describe.runIf(DIALECT === 'sqlite')('large filters on SQLite', () => {
  it('have rows of eight pieces, and segments the number of these', async () => {
    const rows = await read<{ segment: number; pieces: Uint8Array }>(
      'SELECT segment, pieces FROM errlog_segment_filter ORDER BY "row"',
    );
    const segments = await read<{ id: number; filter: string }>(
      'SELECT id, CAST(filter AS TEXT) AS filter FROM errlog_segment',
    );
    expect(segments).toHaveLength(SEGMENTS);
    for (const { id, filter } of segments) {
      const own = rows.filter(({ segment }) => segment === id).map(({ pieces }) => pieces.length);
      expect(new Set(own.slice(0, -1))).toEqual(new Set([8 * PIECE_BYTES]));
      expect(own.reduce((sum, length) => sum + length, 0)).toBe(Number(filter) * PIECE_BYTES);
      expect(own.length).toBeGreaterThan(1);
    }
    const [whole] = await readSegments(lines.db.read.sql, { from: idOf(1), to: idOf(1) });
    expect(isInPieces(whole?.filter.length ?? 0)).toBe(true);
    expect(await damage()).toEqual([]);
  });

  it('are read by few pieces, which miss no line', async () => {
    expect(await find(RARE)).toMatchObject({ ids: [idOf(1) + 9], damaged: [] });
    const { asked, ...found } = await find('zebra crossing');
    expect(found).toEqual({ ids: [], damaged: [] });
    expect(asked.filter((sql) => sql.includes('BETWEEN CAST'))).toEqual([]);
    expect(asked.filter((sql) => sql.includes('substr(coalesce(CAST(pieces')).length).toBeLessThan(6 * SEGMENTS);
  });

  it.each([
    [
      'a changed byte',
      `UPDATE errlog_segment_filter SET pieces = CAST(pieces || x'00' AS BLOB) WHERE segment = ${LINES + 1}`,
    ],
    ['a missing row', `DELETE FROM errlog_segment_filter WHERE segment = ${LINES + 1} AND "row" % 1024 = 0`],
    ['a row of another segment', `UPDATE errlog_segment_filter SET segment = 1 WHERE segment = ${LINES + 1}`],
    ['another number of pieces', `UPDATE errlog_segment SET filter = CAST('99' AS BLOB) WHERE id = ${LINES + 1}`],
    ['no number', `UPDATE errlog_segment SET filter = x'0041' WHERE id = ${LINES + 1}`],
  ])('with %s cost a search and no line', async (_, sql) => {
    await change(sql);
    expect(await damage()).toEqual([[idOf(1), ['filter']]]);
    expect((await find(RARE)).ids).toEqual([idOf(1) + 9]);
  });

  it('go with their segments', async () => {
    const [first, second] = await readSegments(lines.db.read.sql, { from: idOf(0), to: idOf(1) });
    if (first === undefined || second === undefined) throw new Error('there are segments');
    const { db } = lines;
    await db.write((tx) => replaceSegments(tx, db.dialect, stretchOf([first, second]), [second]));
    const rows = () => read<{ segment: number }>('SELECT DISTINCT segment FROM errlog_segment_filter ORDER BY segment');
    expect(await rows()).toEqual([{ segment: idOf(1) }, { segment: idOf(2) }]);
    expect((await find(RARE)).ids).toEqual([idOf(1) + 9]);
    await db.write((tx) => errlogStore(db).removeOldestLines(tx, 1));
    expect(await rows()).toEqual([{ segment: idOf(2) }]);
    await db.write((tx) => errlogStore(db).removeOldLines(tx, NOW_S, 1));
    expect(await rows()).toEqual([]);
  });
});
