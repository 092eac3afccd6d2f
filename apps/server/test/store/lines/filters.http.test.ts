// Filters of many segments: which are asked, and that no line is missed, however a filter is stored.
import { crc32 } from 'node:zlib';
import type { Filter } from '@quarterdeck/core';
import { statement } from '@quarterdeck/core/db';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LineQuery } from '../../../../../packages/store/src/lines/line-reads.ts';
import { compress } from '../../../../../packages/store/src/segments/damage.ts';
import { PIECE_BYTES } from '../../../../../packages/store/src/segments/filter-pieces.ts';
import { hashesOfAddress } from '../../../../../packages/store/src/segments/gram-hashes.ts';
import { useLineReader } from '../../line-reader.ts';
import { DIALECT } from '../../start-api.ts';
import { type ModelLine, SOME_GROUP, storeLines } from '../../stored-lines.ts';

const SEGMENTS = 100;
/** Segments with a line that has the rare text. */
const RARE = [7, 40, 41, 99];

/** Address of these lines. Those of all others begin with it. */
const CLIENT = '198.51.100.9';

const lines = useLineReader();
const { readPage } = lines;
let model: ModelLine[];

beforeEach(async () => {
  model = [];
  const segments = Array.from({ length: SEGMENTS }, (_, segment) => ({
    kind: segment % 10 === 3 ? ('fresh' as const) : ('packed' as const),
    lines: Array.from({ length: 3 }, (__, i) => ({
      group: SOME_GROUP,
      gap: 0,
      late: 0,
      count: 1,
      reqId: `r${segment}`,
      fields: undefined,
      log: `upstream ${segment * 31 + i} timed out${
        i === 1 && RARE.includes(segment) ? ` at needle stack, client: ${CLIENT}` : `, client: ${CLIENT}1`
      }, server: a`,
    })),
  }));
  await storeLines(lines.db, segments, model);
});

/** Clears the bit of a hash in a filter of one piece. */
function clearHash(piece: Uint8Array, hash: number): void {
  const bits = (PIECE_BYTES - 5) * 8;
  const bit = Math.floor(((hash >>> 10) * bits) / 2 ** 22);
  piece[1 + (bit >>> 3)] = (piece[1 + (bit >>> 3)] ?? 0) & ~(1 << (bit & 7));
}

const FILTER_OF = statement('SELECT filter FROM errlog_segment WHERE id = ?');
const SET_FILTER = statement('UPDATE errlog_segment SET filter = ? WHERE id = ?');
const idOf = (segment: number) => segment * 3 + 1;
const setFilter = (segment: number, filter: Uint8Array) =>
  lines.db.write(({ sql }) => sql.run(SET_FILTER, filter, idOf(segment)));

/** Ids of the lines with the rare text in some segments, the newest first. */
const rareIn = (segments: readonly number[]) => segments.map((segment) => idOf(segment) + 1).reverse();

/** The filter `client:(A or B)`. */
const ofClient = (...values: string[]): Filter => ({ kind: 'field', field: 'client', test: { op: 'equals', values } });

describe('the filters of many segments', () => {
  it.each<readonly [string, LineQuery, readonly number[]]>([
    ['a rare text', { q: 'needle' }, rareIn(RARE)],
    ['a rare text with a condition on groups', { q: 'NEEDLE stack', level: SOME_GROUP.level }, rareIn(RARE)],
    ['a text that nobody has', { q: 'zebra crossing' }, []],
    ['an address in a field', { filter: ofClient(CLIENT) }, rareIn(RARE)],
    ['one of some addresses', { filter: ofClient('192.0.2.1', CLIENT, 'unknown') }, rareIn(RARE)],
    ['a request id', { reqId: 'r64' }, [195, 194, 193]],
  ])('miss no line with %s', async (_, query, ids) => {
    const found = await readPage(query);
    expect([found.ids, found.damaged]).toEqual([ids, []]);
  });

  it('miss no line where one of them is damaged, and name it', async () => {
    for (const segment of [40, 41, 60]) {
      const { filter = new Uint8Array() } =
        (await lines.db.read.sql.get<{ filter: Uint8Array }>(FILTER_OF, idOf(segment))) ?? {};
      const flipped = Buffer.from(filter);
      flipped[250] = (flipped[250] ?? 0) ^ 4;
      await setFilter(segment, segment === 41 ? flipped.subarray(0, -1) : flipped);
    }
    const { ids, damaged } = await readPage({ q: 'needle' });
    expect(ids).toEqual(rareIn(RARE));
    expect(damaged.map(({ id, parts }) => ({ id, parts })).sort((a, b) => a.id - b.id)).toEqual(
      [40, 41, 60].map((segment) => ({ id: idOf(segment), parts: ['filter'] })),
    );
  });

  it('are read in their earlier form', async () => {
    const earlier = (byte: number) => Buffer.concat([Buffer.of(10), compress(Buffer.alloc(128, byte), 3)]);
    await setFilter(40, earlier(0xff));
    await setFilter(41, earlier(0));
    const { ids, damaged } = await readPage({ q: 'needle' });
    expect([ids, damaged]).toEqual([rareIn([7, 40, 99]), []]);
  });

  it('have the addresses of fields, of which longer ones are no part', async () => {
    const { statements } = await readPage({ filter: ofClient(CLIENT) });
    const opened = statements.filter(({ statement: { sqlite } }) => sqlite.startsWith('SELECT "groups"'));
    expect(opened.length).toBeLessThan(SEGMENTS / 10 + RARE.length + 5);
    // A text may be a part of a longer one.
    const texts = await readPage({ q: CLIENT });
    expect(texts.ids).toHaveLength(3 * SEGMENTS);
  });

  it('are read without addresses, as they were stored before', async () => {
    for (const segment of [40, 60]) {
      const row = await lines.db.read.sql.get<{ filter: Uint8Array }>(FILTER_OF, idOf(segment));
      const piece = Buffer.from(row?.filter ?? []);
      expect([piece.length, piece[0]]).toEqual([PIECE_BYTES, 0x41]);
      // Nothing but grams of all texts and no address.
      piece.fill(0xff, 0, PIECE_BYTES - 4);
      for (const hash of hashesOfAddress(CLIENT) ?? []) clearHash(piece, hash);
      piece[0] = 0x40;
      piece.writeUInt32LE(crc32(piece.subarray(0, PIECE_BYTES - 4), 1), PIECE_BYTES - 4);
      await setFilter(segment, piece);
    }
    const { ids, damaged } = await readPage({ filter: ofClient(CLIENT) });
    expect([ids, damaged]).toEqual([rareIn(RARE), []]);
  });

  it.skipIf(DIALECT === 'sqlite')('are asked together, and no further ahead than a page needs', async () => {
    const absent = await readPage({ q: 'zebra crossing' });
    const fresh = SEGMENTS / 10;
    // Of each fresh segment groups, numbers and texts; in between some rounds for all others.
    expect(absent.statements.length).toBeLessThan(2 * fresh + 15);
    const common = await readPage({ q: 'timed out' }, 5);
    expect(common.ids).toHaveLength(5);
    const asked = common.statements.filter((one) => one.statement.postgresql.includes('unnest'));
    const segments = new Set(asked.flatMap(({ params }) => String(params[0]).match(/\d+/g) ?? []));
    expect(segments.size).toBeGreaterThan(0);
    expect(segments.size).toBeLessThan(10);
  });
});
