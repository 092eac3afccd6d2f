// One flipped bit in the parts of a stored segment: answers are right, or say which hours they lack.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, statement } from '@quarterdeck/core/db';
import { loadExpressions, parseFilter } from '@quarterdeck/core/filter';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkSome } from '../../../../../packages/store/src/integrity/check-all.ts';
import { DamageRecord, readDamage } from '../../../../../packages/store/src/integrity/damage-record.ts';
import { type Repaired, repairSegments } from '../../../../../packages/store/src/integrity/repair.ts';
import { createLineReads } from '../../../../../packages/store/src/lines/create-line-reads.ts';
import type { LineReads } from '../../../../../packages/store/src/lines/line-reads.ts';
import { eraseLines } from '../../../../../packages/store/src/packing/erase.ts';
import { createPacker } from '../../../../../packages/store/src/packing/packer.ts';
import type { SegmentPart } from '../../../../../packages/store/src/segments/damage.ts';
import type { DamagedSegment } from '../../../../../packages/store/src/segments/damage-log.ts';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { atMost, everyNth } from '../../../../../test/thoroughness.ts';
import { openStore, type TestStore } from '../../open-store.ts';
import { DIALECT } from '../../start-api.ts';
import { addGroups, type ModelLine, NOW_S, removeLines, SOME_GROUP, storeLines } from '../../stored-lines.ts';

const PARTS = ['groups', 'filter', 'numbers', 'texts'] as const;
type Column = (typeof PARTS)[number];

const USER_PAGE = statement(
  "SELECT rootpage AS root, (SELECT page_size FROM pragma_page_size) AS size FROM sqlite_master WHERE name = 'recovery_code'",
);
/** Flips; `pnpm faults flipped-bits` asks for more. */
const FLIPS = Number(process.env['QUARTERDECK_TEST_RUNS'] ?? atMost(25, 250));

const LIMIT_MS = 60_000 + FLIPS * 500;

const always = async () => true;
const never = () => false;
const now = () => NOW_S * 1000;
const log = pino({ level: 'silent' });
let store: TestStore;
let reads: LineReads;
let noted: DamagedSegment[];
/** The lines of three segments. */
let model: ModelLine[];

beforeAll(async () => {
  await loadExpressions();
  store = await openStore();
  await addGroups(store.db);
  reads = createLineReads({ db: store.db, log, now, noteDamage: (damaged) => noted.push(...damaged) });
});
afterAll(async () => {
  await reads.close();
  await store[Symbol.asyncDispose]();
});
beforeEach(async () => {
  noted = [];
  model = [];
  await removeLines(store.db);
  const lines = Array.from({ length: 60 }, (_, i) => ({
    group: SOME_GROUP,
    gap: 0,
    late: 0,
    count: 1 + (i % 3),
    reqId: `r${i}`,
    fields: i % 2 === 0 ? { color: `c${i % 7}` } : undefined,
    log: `connect() to upstream ${i} failed, client: 10.0.0.${i % 9}`,
  }));
  const kinds = ['packed', 'packed', 'fresh'] as const;
  await storeLines(
    store.db,
    kinds.map((kind) => ({ kind, lines })),
    model,
  );
});

const get = (column: Column) => statement(`SELECT id, "${column}" AS part FROM errlog_segment ORDER BY id LIMIT 1`);
const set = (column: Column) => statement(`UPDATE errlog_segment SET "${column}" = ? WHERE id = ?`);

/** Flips a bit of the first segment, given as a share of all bits of a part. Returns a function that flips it back. */
async function flip(db: Database, column: Column, share: number): Promise<() => Promise<unknown>> {
  const { id = 0, part } = (await db.read.sql.get<{ id: number; part: Uint8Array }>(get(column))) ?? {};
  const bytes = Buffer.from(part ?? []);
  const bit = Math.floor(share * bytes.length * 8);
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  await db.write(({ sql }) => sql.run(set(column), bytes, id));
  return () => db.write(({ sql }) => sql.run(set(column), part ?? bytes, id));
}

const EVERYTHING = { limit: 1_000 };
const linesOf = (wanted: readonly ModelLine[]) => wanted.map(({ id, log: text, time }) => ({ id, log: text, time }));

/** Expects answers that have all lines, or that say that they do not and have none that is wrong. */
async function expectTruth(): Promise<void> {
  const [damagedSpan, sound] = [model.slice(0, 60), model.slice(60)];
  for (const [query, matches] of [
    [{}, () => true],
    [{ q: 'upstream 7 ' }, ({ log: text }: ModelLine) => text.includes('upstream 7 ')],
    [{ filter: parseFilter('color:c2') }, ({ fields }: ModelLine) => fields['color'] === 'c2'],
    [{ reqId: 'r8' }, ({ req_id }: ModelLine) => req_id === 'r8'],
  ] as const) {
    const { data, meta } = await reads.page(query, EVERYTHING, 'a');
    const [all, certain] = [model.filter(matches), sound.filter(matches)];
    const found = new Map(data.map((line) => [line.id, line]));
    if (meta.complete) expect(data.map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort());
    else {
      const [span] = meta.damaged ?? [];
      expect(span?.from).toBeGreaterThanOrEqual(damagedSpan[0]?.time ?? 0);
      expect(span?.to).toBeLessThanOrEqual(damagedSpan.at(-1)?.time ?? 0);
    }
    expect(certain.filter(({ id }) => !found.has(id))).toEqual([]);
    for (const line of all) {
      const shown = found.get(line.id);
      if (shown !== undefined) expect(linesOf([{ ...line, ...shown }])).toEqual(linesOf([line]));
    }
    expect(data.filter(({ id }) => !all.some((line) => line.id === id))).toEqual([]);
  }
  const histogram = await reads.histogram({}, { start: NOW_S - 20_000, end: NOW_S, step: 20_000 }, 'a');
  const sum = model.reduce((total, { count }) => total + count, 0);
  if (histogram.complete) expect(histogram.buckets[0]?.count).toBe(sum);
  const values = await reads.values({}, 'color', 10, 'a');
  const colored = model.filter(({ fields }) => fields['color'] !== undefined);
  if (values.complete)
    expect(values.values.reduce((total, { count }) => total + count, values.other)).toBe(
      colored.reduce((total, { count }) => total + count, 0),
    );
  const { data, meta } = await reads.occurrences(SOME_GROUP.id, { offset: 0, limit: 1_000 });
  if (data.length < model.length) expect(meta).toMatchObject({ complete: false });
}

it.skipIf(DIALECT === 'postgresql')('learns of damaged pages from SQLite', async () => {
  await using own = await openStore();
  const { root = 0, size = 0 } = (await own.db.read.sql.get<{ root: number; size: number }>(USER_PAGE)) ?? {};
  const file = openSync(join(own.dataDir, 'quarterdeck.db'), 'r+');
  const [header, at] = [Buffer.alloc(8), (root - 1) * size];
  readSync(file, header, 0, 8, at);
  // The number of cells on the page.
  header[4] = (header[4] ?? 0) ^ 0x40;
  writeSync(file, header, 0, 8, at);
  closeSync(file);
  const ownReads = createLineReads({ db: own.db, log, now });
  const damage = new DamageRecord(own.db, log);
  await checkSome({ db: own.db, lineReads: ownReads, damage, now }, always, never, Infinity);
  expect((await readDamage(own.db.read)).pages[0]).toContain(String(root));
  await ownReads.close();
});

describe('one flipped bit', () => {
  it(
    'never makes an answer wrong that says it is complete',
    async () => {
      let incomplete = 0;
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...PARTS), fc.nat(999_999), async (part, at) => {
          const undo = await flip(store.db, part, at / 1_000_000);
          await expectTruth();
          if (noted.length > 0) incomplete += 1;
          noted = [];
          await undo();
        }),
        { numRuns: FLIPS },
      );
      expect(incomplete).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  it('of the filter costs a search, and no line', async () => {
    await flip(store.db, 'filter', 0.5);
    const { data, meta } = await reads.page({ q: 'upstream 7 ' }, EVERYTHING, 'a');
    expect(data).toHaveLength(3);
    expect(meta.complete).toBe(true);
    expect(noted.map(({ parts }) => parts)).toEqual([['filter']]);
  });

  it('of the texts leaves the counts as they were', async () => {
    await flip(store.db, 'texts', 0.5);
    const { buckets, complete } = await reads.histogram({}, { start: 0, end: NOW_S, step: NOW_S }, 'a');
    expect([buckets[0]?.count, complete]).toEqual([model.reduce((sum, { count }) => sum + count, 0), true]);
  });

  it.each(nonEmpty(everyNth<Column & SegmentPart>(2, PARTS, 0)))(
    'of the %s is found by the pass over everything stored, and repaired',
    async (part) => {
      const { db } = store;
      const damage = new DamageRecord(db, log);
      const own = createLineReads({ db, log, now, noteDamage: damage.note.bind(damage) });
      // The numbers begin with their lengths, whose damage is theirs and not that of the fields.
      await flip(db, part, part === 'numbers' ? 0.1 : 0.5);
      let clockMs = now();
      const check = () => checkSome({ db, lineReads: own, damage, now: () => clockMs }, always, never, Infinity);
      clockMs += 8 * 24 * 3_600_000;
      await check();
      const first = Number(model[0]?.id);
      expect((await readDamage(db.read)).segments).toMatchObject([{ id: first, parts: [part] }]);

      const repaired: Repaired[] = [];
      for await (const one of repairSegments(db, NOW_S)) repaired.push(one);
      const lost = part === 'filter' ? 0 : model.slice(0, 60).reduce((sum, { count }) => sum + count, 0);
      // Without the groups nobody knows for how many equal lines each of the 60 stood.
      expect(repaired[0]?.lost.reduce((sum, { lines }) => sum + lines, 0) ?? 0).toBe(part === 'groups' ? 60 : lost);
      expect((await readDamage(db.read)).segments).toEqual([]);
      const { data, meta } = await own.page({}, EVERYTHING, 'a');
      expect(meta.complete).toBe(true);
      expect(data).toHaveLength(part === 'filter' ? 180 : 120);
      await own.close();
    },
  );

  it.each<readonly [Column, number]>([
    ['texts', 2],
    ['groups', 2],
    ['filter', 3],
  ])('of the %s keeps no line of another segment from being erased', async (column, lines) => {
    const { db } = store;
    await flip(db, column, 0.5);
    const packer = createPacker(db);
    const query = { matches: ({ log: text }: { readonly log: string }) => text.includes('upstream 7 ') };
    const { damaged, ...erased } = await eraseLines(db, packer, query, false);
    await packer.close();
    expect([erased.lines, damaged.length]).toEqual([lines, 3 - lines]);
  });

  it('leaves a segment as it is, and the others are packed', async () => {
    const { db } = store;
    await storeLines(
      db,
      [
        {
          kind: 'fresh',
          lines: [{ group: SOME_GROUP, gap: 0, late: 0, count: 1, reqId: '', fields: undefined, log: 'later' }],
        },
      ],
      model,
    );
    await db.write(({ sql }) => sql.run(statement('UPDATE errlog_segment SET packed = FALSE')));
    await flip(db, 'texts', 0.5);
    const packer = createPacker(db, { noteDamage: (damaged) => noted.push(...damaged) });
    await packer.packAll();
    await packer.close();
    const rows = await db.read.sql.all<{ n: number }>(statement('SELECT n FROM errlog_segment ORDER BY id'));
    expect(rows.map(({ n }) => n)).toEqual([60, 121]);
    expect(noted.map(({ parts }) => parts)).toEqual([['texts']]);
  });
});
