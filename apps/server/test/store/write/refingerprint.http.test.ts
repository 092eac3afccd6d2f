// Groups of a version with other rules: what they become, and which lines find them.
import { type Database, statement } from '@quarterdeck/core/db';
import { fingerprint } from '@quarterdeck/core/fingerprint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasOldFingerprints, refingerprint } from '../../../../../packages/store/src/write/refingerprint.ts';
import { errlogCalls } from '../../errlog-calls.ts';
import { expectTrueCounters } from '../../errlog-counters.ts';
import { DIALECT, startApi, type TestApi } from '../../start-api.ts';
import { type GroupLine, storeGroups } from '../../stored-groups.ts';
import { word } from '../../word.ts';

let api: TestApi;
let db: Database;
beforeEach(async () => {
  api = await startApi();
  db = api.server.deps.db;
});
afterEach(() => api[Symbol.asyncDispose]());

const { list, listOf, newApp } = errlogCalls(() => api);
const append = (lines: readonly GroupLine[]) => storeGroups(db, lines);

const FORGET_RULES = statement("DELETE FROM setting WHERE name = 'errlog_rules'");
const AGE = statement('UPDATE errlog SET fingerprint = ? WHERE id = ?');
const AGE_INDEX = ['new', 'old'].map((name) =>
  statement({ sqlite: `UPDATE errlog_fingerprint_${name} SET fingerprint = ? WHERE id = ?`, postgresql: '' }),
);

interface AgedGroup {
  readonly id: number;
  /** One of its own if undefined. */
  readonly fingerprint?: string | undefined;
}

/** Makes groups look as an earlier version left them: a fingerprint of other rules and no service. */
async function age(...groups: readonly AgedGroup[]): Promise<void> {
  await db.write(async ({ sql }) => {
    await sql.run(FORGET_RULES);
    for (const { id, fingerprint: former = `0former${id}` } of groups) {
      await sql.run(AGE, former, id);
      if (DIALECT === 'sqlite') for (const statement of AGE_INDEX) await sql.run(statement, former, id);
    }
  });
}

/** Without the thread of SQLite, whose start takes longer. */
const upgrade = () => {
  const { openThread: _, ...others } = db;
  return refingerprint({ ...others, dialect: db.dialect, read: db.read }, () => false);
};

describe('groups of earlier rules', () => {
  it('get the lines of their error, with their state and history', async () => {
    const app_id = newApp();
    const lines = Array.from({ length: 12 }, () => ({ level: 4, log: `${word()} failed`, app_id }));
    await append(lines);
    const before = await listOf(app_id);
    const [first] = before;
    if (first === undefined) throw new Error('there is no group');
    await api.admin.errlog.update({ params: { id: first.id }, body: { state: 'muted', note: 'known' } });
    await age(...before);
    expect(await hasOldFingerprints(db)).toBe(true);
    await upgrade();
    expect(await hasOldFingerprints(db)).toBe(false);
    await expectTrueCounters(db);
    await append(lines);
    const after = await listOf(app_id);
    expect(after.map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort());
    expect(after.every(({ count }) => count === 2)).toBe(true);
    expect(after.find(({ id }) => id === first.id)).toMatchObject({ state: 'muted', note: 'known' });
    await expectTrueCounters(db);
  });

  it('that become one: the oldest open one gets the lines', async () => {
    const app_id = newApp();
    const log = `${word()} failed`;
    const groups: number[] = [];
    // Other texts first, so that each becomes a group of its own.
    for (let i = 0; i < 4; i += 1) {
      await append([{ level: 4, log: `${word()} failed`, app_id }]);
      groups.push((await listOf(app_id)).map(({ id }) => id).reduce((a, b) => Math.max(a, b)));
    }
    const [resolved = 0, oldest = 0] = groups;
    await api.admin.errlog.update({ params: { id: resolved }, body: { state: 'resolved' } });
    const SAME_TEXT = statement('UPDATE errlog SET log = ? WHERE app_id = ?');
    await db.write(({ sql }) => sql.run(SAME_TEXT, log, app_id));
    await age(...groups.map((id) => ({ id })));
    await upgrade();
    await append([{ level: 4, log, app_id }]);
    const counts = new Map((await listOf(app_id)).map(({ id, count }) => [id, count]));
    expect(counts).toEqual(new Map(groups.map((id) => [id, id === oldest ? 2 : 1])));
    expect(await list({ query: { fingerprint: fingerprint(log), app_id } })).toMatchObject({ meta: { count: 1 } });
    await expectTrueCounters(db);
  });

  it('are counted once where several sources had their error', async () => {
    const app_id = newApp();
    const lines = Array.from({ length: 3 }, () => ({ level: 4, log: `${word()} failed`, app_id }));
    for (const node_id of [1, 2, 3]) await append(lines.map((line) => ({ ...line, node_id })));
    const groups = await listOf(app_id);
    expect(groups).toHaveLength(9);
    const former = new Map(groups.map(({ log }, i) => [log, `0former${i}`]));
    await age(...groups.map(({ id, log }) => ({ id, fingerprint: former.get(log) })));
    await upgrade();
    expect((await list({ query: { app_id, rollup: true } })).meta.count).toBe(3);
    await expectTrueCounters(db);
  });

  it('go on where the change was stopped, and are listed meanwhile', async () => {
    const app_id = newApp();
    const lines = Array.from({ length: 1_020 }, () => ({ level: 4, log: `${word()} failed`, app_id }));
    await append(lines);
    const groups = (await list({ query: { app_id, page_size: 10_000 } })).data;
    await age(...groups);
    let slices = 0;
    await refingerprint(db, () => slices++ > 0);
    expect(await hasOldFingerprints(db)).toBe(true);
    const rolledUp = await list({ query: { app_id, rollup: true, page_size: 1_020, detail: 1 } });
    expect(rolledUp.meta.count).toBe(1_020);
    expect(rolledUp.data).toHaveLength(1_020);
    await upgrade();
    await expectTrueCounters(db);
    await append(lines);
    expect((await list({ query: { app_id, page_size: 0 } })).meta.count).toBe(1_020);
    await expectTrueCounters(db);
  });
});
