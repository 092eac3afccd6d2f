// Filters that have rows of their own.
import { openThreadReader, type Sql, statement, type ThreadReader } from '@quarterdeck/core/db';
import { errlogStore } from '@quarterdeck/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LinePage } from '../../../../../packages/store/src/lines/line-reads.ts';
import { readLines } from '../../../../../packages/store/src/lines/read-lines.ts';
import { readSegments, replaceSegments, stretchOf } from '../../../../../packages/store/src/packing/segment-table.ts';
import { isInPieces, PIECE_BYTES } from '../../../../../packages/store/src/segments/filter-pieces.ts';
import { findDamage } from '../../../../../packages/store/src/tables/check-stored.ts';
import { openStore, type TestStore } from '../../open-store.ts';
import { DIALECT } from '../../start-api.ts';
import { addGroups, type ModelLine, NOW_S, removeLines, SOME_GROUP, storeLines } from '../../stored-lines.ts';

const LINES = 600;
const SEGMENTS = 3;
const RARE = 'needle stack';

let store: TestStore;
let reader: ThreadReader;
let model: ModelLine[];
/** Statements of the last search. */
let asked: string[];

beforeAll(async () => {
  store = await openStore();
  await addGroups(store.db);
  reader = await openThreadReader(store.db.readerSettings);
});
afterAll(async () => {
  await reader.close();
  await store[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await removeLines(store.db);
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
  await storeLines(store.db, segments, model);
});

const idOf = (segment: number) => segment * LINES + 1;
const change = (sqlite: string) => store.db.write(({ sql }) => sql.run(statement({ sqlite, postgresql: '' })));
const read = <R>(sqlite: string) => store.db.read.sql.all<R>(statement({ sqlite, postgresql: '' }));

/** Ids of the lines with a text, and the damaged segments that the search meets. */
async function find(q: string) {
  asked = [];
  const { value, damaged } = await reader.snapshot((inner) => {
    const get: Sql['get'] = (one, ...params) => {
      asked.push(one.sqlite);
      return inner.get(one, ...params);
    };
    const all: Sql['all'] = (one, ...params) => {
      asked.push(one.sqlite);
      return inner.all(one, ...params);
    };
    const budget = { isOver: false };
    const sql = { get, all, run: inner.run.bind(inner) };
    return readLines(
      { sql, dialect: DIALECT, budget, nowS: NOW_S },
      { kind: 'page', query: { q }, slice: { limit: 9 } },
    );
  });
  return { ids: (value as LinePage).data.map(({ id }) => Number(id)), damaged: damaged.map(({ id }) => id) };
}

async function damage() {
  const found: unknown[] = [];
  for await (const { id, parts } of findDamage(store.db.read)) found.push([id, parts]);
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
    const [whole] = await readSegments(store.db.read.sql, { from: idOf(1), to: idOf(1) });
    expect(isInPieces(whole?.filter.length ?? 0)).toBe(true);
    expect(await damage()).toEqual([]);
  });

  it('are read by few pieces, which miss no line', async () => {
    expect(await find(RARE)).toEqual({ ids: [idOf(1) + 9], damaged: [] });
    expect(await find('zebra crossing')).toEqual({ ids: [], damaged: [] });
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
    const [first, second] = await readSegments(store.db.read.sql, { from: idOf(0), to: idOf(1) });
    if (first === undefined || second === undefined) throw new Error('there are segments');
    const { db } = store;
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
