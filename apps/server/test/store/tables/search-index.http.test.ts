// The search index of groups that were stored before it: the job adds them, and every search is true meanwhile.
import { type Database, statement } from '@quarterdeck/core/db';
import { describe, expect, it } from 'vitest';
import { updateSearchIndex } from '../../../../../packages/store/src/tables/search-index.ts';
import { createRetention } from '../../../src/features/errlog/errlog.retention.ts';
import { openStore } from '../../open-store.ts';
import { DIALECT, startApi } from '../../start-api.ts';
import { storeGroups } from '../../stored-groups.ts';
import { word } from '../../word.ts';

/** Leaves the index as the migration makes it in a database that has groups. */
const EMPTIED = [
  "INSERT INTO errlog_search (errlog_search) VALUES ('delete-all')",
  "UPDATE setting SET value = (SELECT max(id) FROM errlog) WHERE name = 'errlog_search_2'",
].map((text) => statement(text));

describe.runIf(DIALECT === 'sqlite')('the search index', () => {
  it('learns older groups, the newest first, while every search is true', async () => {
    await using api = await startApi();
    const { db } = api.server.deps;
    // The test says when the index learns.
    await api.server.jobs.stop();
    const find = async (q: string) => (await api.admin.errlog.list({ query: { q, page_size: 0 } })).meta;
    const rare = `<${word()}>`;
    const line = (_: unknown, i: number) => ({
      level: 4,
      log: `${word()} common \u00e4 ${i % 9 === 0 ? rare : ''}#Q`,
      app_id: 1,
    });
    await storeGroups(db, Array.from({ length: 600 }, line));
    await api.server.jobs.runAll();
    await db.write(async (tx) => {
      for (const step of EMPTIED) await tx.sql.run(step);
    });
    const expectTrue = async () => {
      expect([await find(rare), await find('#q'), await find('Q'), await find('\u00e4 ')]).toEqual([
        { count: 67, complete: true },
        { count: 600, complete: true },
        { count: 600, complete: true },
        { count: 600, complete: true },
      ]);
      expect(await find('nobody')).toEqual({ count: 0, complete: true });
    };
    await expectTrue();

    // As far as one write goes; then what is new, and the rest.
    let looks = 0;
    await updateSearchIndex(db, () => looks++ > 0, 0);
    const known = statement('SELECT count(*) AS n, min(id) AS first, max(id) AS last FROM errlog_search_docsize');
    const groups = (await find('common')).count;
    const some = await db.read.sql.get<{ n: number; first: number; last: number }>(known);
    expect(some).toMatchObject({ n: 250, first: groups - 249, last: groups });
    await expectTrue();
    await storeGroups(db, [{ level: 4, log: `${word()} added ${rare}`, app_id: 1 }]);
    expect(await find(rare)).toEqual({ count: 68, complete: true });
    await api.server.jobs.runAll();
    expect(await db.read.sql.get(known)).toMatchObject({ n: groups + 1, last: groups + 1 });
    expect(await find(rare)).toEqual({ count: 68, complete: true });
    expect(await find('#q')).toEqual({ count: 600, complete: true });
  });
});

const NOW_S = 1_795_000_000;
const MARK = statement('UPDATE errlog SET text_stale = TRUE WHERE id <= (SELECT min(id) + 255 FROM errlog)');
const INDEXED = statement({
  sqlite: 'SELECT id FROM errlog_search_docsize ORDER BY id',
  postgresql: 'SELECT id FROM errlog_search ORDER BY id',
});

it('indexes every new text once in a run, also while others change all the time', async () => {
  await using own = await openStore();
  const { db } = own;
  await storeGroups(
    db,
    Array.from({ length: 510 }, () => ({ level: 4, log: word() })),
  );
  // As a batch does that repeats the first errors after each slice.
  const busy: Pick<Database, 'dialect' | 'write'> = {
    dialect: db.dialect,
    async write(work, options) {
      const result = await db.write(work, options);
      await db.write((tx) => tx.sql.run(MARK));
      return result;
    },
  };
  await updateSearchIndex(busy, () => false, 0);
  expect(await db.read.sql.all(INDEXED)).toHaveLength(510);
});

it('forgets the texts of groups that retention takes', async () => {
  await using own = await openStore();
  const { db } = own;
  await storeGroups(
    db,
    [1, 2, 3].map(() => ({ level: 4, log: word() })),
    NOW_S * 1000,
  );
  await updateSearchIndex(db, () => false, 0);
  expect(await db.read.sql.all(INDEXED)).toHaveLength(3);
  const limits = { groupDays: 90, occurrenceDays: 30, maxMb: 0 };
  await createRetention(db, limits, () => (NOW_S + 100 * 86_400) * 1000).run(() => false);
  expect(await db.read.prisma.errlog.count()).toBe(0);
  expect(await db.read.sql.all(INDEXED)).toEqual([]);
});
