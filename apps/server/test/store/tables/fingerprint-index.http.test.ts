// The two tables of the fingerprint index on SQLite: an entry stays findable while it moves between them.
import { type Database, type SyncSql, statement } from '@quarterdeck/core/db';
import { fingerprint } from '@quarterdeck/core/fingerprint';
import { beforeAll, describe, expect, it } from 'vitest';
import { moveFingerprints } from '../../../../../packages/store/src/tables/fingerprint-index.ts';
import { errlogCalls } from '../../errlog-calls.ts';
import { expectTrueCounters } from '../../errlog-counters.ts';
import { DIALECT, useApi } from '../../start-api.ts';
import { type GroupLine, storeGroups } from '../../stored-groups.ts';
import { word } from '../../word.ts';

const api = useApi();
let db: Database;
beforeAll(async () => {
  db = api.server.deps.db;
});

const { list, listOf, newApp } = errlogCalls(() => api);
const append = (lines: readonly GroupLine[]) => storeGroups(db, lines);

const sizeOf = async (table: string) => (await db.read.sql.get<{ n: number }>(counting(table)))?.n;
const counting = (table: string) => statement(`SELECT count(*) AS n FROM ${table}`);
const inWrite = (work: (sql: SyncSql) => void) => db.write(async ({ sql }) => work(sql.sync as SyncSql));

describe.runIf(DIALECT === 'sqlite')('groups that are moved', () => {
  it('are found wherever they are', async () => {
    const app_id = newApp();
    const lines = Array.from({ length: 150 }, (_, i) => ({ level: 4, log: word(), app_id, node_id: i % 3 }));
    await append(lines);
    let expected = 1;
    for (const newMax of [140, 90, 90, 30, 1, 0]) {
      // From the middle of them, so that the end is met as well.
      await inWrite((sql) => moveFingerprints(sql, fingerprint(lines[expected]?.log ?? ''), newMax));
      await expectTrueCounters(db);
      await append(lines);
      expected += 1;
      const groups = await listOf(app_id);
      expect(groups).toHaveLength(20);
      expect(groups.every(({ count }) => count === expected)).toBe(true);
      const { meta } = await list({ query: { app_id, page_size: 0 } });
      expect(meta.count).toBe(lines.length);
    }
    await inWrite((sql) => moveFingerprints(sql, '', 0));
    expect(await sizeOf('errlog_fingerprint_new')).toBe(0);
    await expectTrueCounters(db);
  });

  it('leave as many as there may be, and each source of an error with the others', async () => {
    await inWrite((sql) => moveFingerprints(sql, '', 0));
    const app_id = newApp();
    const logs = Array.from({ length: 40 }, word);
    await append(logs.flatMap((log) => [1, 2, 3].map((node_id) => ({ level: 4, log, app_id, node_id }))));
    // From the middle of them, past the end, and on from the beginning.
    await inWrite((sql) => moveFingerprints(sql, fingerprint(logs[0] ?? ''), 30));
    const left = (await sizeOf('errlog_fingerprint_new')) ?? 0;
    expect(left).toBeLessThanOrEqual(30);
    expect(left).toBeGreaterThan(24);
    expect(left % 3).toBe(0);
    for (const log of logs) {
      const { data } = await list({ query: { app_id, fingerprint: fingerprint(log) } });
      expect(data.map((group) => group.log)).toEqual([log, log, log]);
      expect((await api.admin.errlog.get({ params: { id: data[0]?.id ?? 0 } })).sources).toBe(3);
    }
    await expectTrueCounters(db);
  });
});
