// The search index of groups that were stored before it: the job adds them, and every search is true meanwhile.
import { type Database, statement } from '@quarterdeck/core/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIALECT, startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';
import { updateSearchIndex } from './search-index.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

/** Leaves the index as the migration makes it in a database that has groups. */
const EMPTIED = [
  "INSERT INTO errlog_search (errlog_search) VALUES ('delete-all')",
  "UPDATE setting SET value = (SELECT max(id) FROM errlog) WHERE name = 'errlog_search_2'",
].map((text) => statement(text));

/** Texts that are found: in the middle, at their end, in another case. */
const find = async (q: string) => (await api.admin.errlog.list({ query: { q, page_size: 1_000 } })).meta;

describe.runIf(DIALECT === 'sqlite')('the search index', () => {
  it('learns older groups, the newest first, while every search is true', async () => {
    const { db } = api.server.deps;
    const rare = `<${word()}>`;
    const line = (_: unknown, i: number) => ({
      level: 4,
      log: `${word()} common \u00e4 ${i % 9 === 0 ? rare : ''}#Q`,
      app_id: 1,
    });
    await api.admin.errlog.append({ body: Array.from({ length: 1_000 }, line) });
    await api.server.jobs.runAll();
    await db.write(async (tx) => {
      for (const step of EMPTIED) await tx.sql.run(step);
    });
    const expectTrue = async () => {
      expect([await find(rare), await find('#q'), await find('Q'), await find('\u00e4 ')]).toEqual([
        { count: 112, complete: true },
        { count: 1_000, complete: true },
        { count: 1_000, complete: true },
        { count: 1_000, complete: true },
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
    // The server has a job that does the same.
    expect(some?.n).toBeGreaterThanOrEqual(250);
    expect(some).toMatchObject({ first: groups + 1 - (some?.n ?? 0), last: groups });
    await expectTrue();
    await api.admin.errlog.append({ body: { level: 4, log: `${word()} added ${rare}`, app_id: 1 } });
    expect(await find(rare)).toEqual({ count: 113, complete: true });
    await api.server.jobs.runAll();
    expect(await db.read.sql.get(known)).toMatchObject({ n: groups + 1, last: groups + 1 });
    expect(await find(rare)).toEqual({ count: 113, complete: true });
    expect(await find('#q')).toEqual({ count: 1_000, complete: true });
  });
});

const MARK = statement('UPDATE errlog SET text_stale = TRUE WHERE id <= (SELECT min(id) + 300 FROM errlog)');
const INDEXED = statement({
  sqlite: 'SELECT id FROM errlog_search_docsize ORDER BY id',
  postgresql: 'SELECT id FROM errlog_search ORDER BY id',
});

it('indexes every new text once in a run, also while others change all the time', async () => {
  await using own = await startApi();
  const { db } = own.server.deps;
  const texts = Array.from({ length: 600 }, () => word());
  for (const some of [texts.slice(0, 300), texts.slice(300)]) {
    await own.admin.errlog.append({ body: some.map((log) => ({ level: 4, log })) });
  }
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
  expect(await db.read.sql.all(INDEXED)).toHaveLength(600);
});

it('forgets the texts of groups that retention takes', async () => {
  await using own = await startApi();
  const { db } = own.server.deps;
  await own.admin.errlog.append({ body: [1, 2, 3].map(() => ({ level: 4, log: word() })) });
  await own.server.jobs.runAll();
  const groups = (await own.admin.errlog.list()).data.map(({ id }) => id).toSorted((a, b) => a - b);
  const indexed = async () => (await db.read.sql.all<{ id: number }>(INDEXED)).map(({ id }) => id);
  expect(await indexed()).toEqual(groups);
  own.advance(100 * 86_400_000);
  await own.server.jobs.runAll();
  expect(await db.read.prisma.errlog.count()).toBe(0);
  expect(await indexed()).toEqual([]);
});
