import { describe, expect, it } from 'vitest';
import { statement } from './database.ts';
import { StatementTimes } from './statement-times.ts';

const times = () => new StatementTimes(['Agent', 'ApiToken', 'ErrlogMinute', 'Errlog', 'Lease']);

describe('families of statements', () => {
  it.each([
    ['SELECT a FROM agent WHERE id = ?', 'select agent'],
    ['SELECT 1 AS yes FROM (SELECT id FROM errlog_minute) AS seen', 'select errlog_minute'],
    ['INSERT INTO lease (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET name = excluded.name', 'insert lease'],
    ['UPDATE agent SET id = 1', 'update agent'],
    ['DELETE FROM api_token WHERE id IN (SELECT id FROM agent)', 'delete api_token'],
    ['WITH due AS (SELECT id FROM errlog FOR UPDATE OF errlog) SELECT * FROM due', 'select errlog'],
    ['WITH due AS (SELECT id FROM errlog FOR UPDATE) UPDATE errlog SET id = 2', 'update errlog'],
    ['with due as (select id from agent) delete from agent where true', 'delete agent'],
    ['SELECT `main`.`api_token`.`id` FROM `main`.`api_token` WHERE 1=1', 'select api_token'],
    ['SELECT "public"."errlog"."id" FROM "public"."errlog"', 'select errlog'],
    ['SELECT data_version FROM pragma_data_version', 'select other'],
    ['SELECT pg_advisory_xact_lock(1)', 'select other'],
    ['SAVEPOINT prisma_1', 'other other'],
    ['', 'other other'],
  ])('reads %s', (sql, family) => {
    const { operation, table } = times().familyOf(statement(sql));
    expect(`${operation} ${table}`).toBe(family);
  });

  it('are as few as there are operations and tables, whatever the texts', () => {
    const all = times();
    for (let i = 0; i < 5_000; i += 1) {
      void all
        .timed({
          provider: 'sqlite',
          adapterName: 'test',
          queryRaw: async () => ({ columnNames: [], columnTypes: [], rows: [] }),
          executeRaw: async () => 0,
        })
        .queryRaw({ sql: `SELECT ${i} FROM agent`, args: [], argTypes: [] });
    }
    expect([...all.families()].length).toBeLessThanOrEqual(1);
  });
});

describe('times of statements', () => {
  it('counts each one in its bucket, and tells who traces', () => {
    const all = times();
    const seen: string[] = [];
    all.onStatement = ({ operation, table }, startMs, endMs) => {
      expect(endMs).toBeGreaterThanOrEqual(startMs);
      seen.push(`${operation} ${table}`);
    };
    const family = all.familyOf(statement('SELECT id FROM agent'));
    all.add(family, performance.now());
    all.add(family, performance.now() - 50);
    all.add(family, performance.now() - 60_000);
    const { bounds, counts, sumS } = family.durations;
    expect(bounds.length + 1).toBe(counts.length);
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(3);
    expect(counts.at(-1)).toBe(1);
    expect(sumS).toBeGreaterThan(60);
    expect(seen).toEqual(Array(3).fill('select agent'));
  });

  it('counts a write that fails, and rejects as it does', async () => {
    const all = times();
    await expect(all.write(Promise.reject(new Error('full')), { bulk: true })).rejects.toThrow('full');
    expect(await all.write(Promise.resolve(7))).toBe(7);
    const total = ({ counts }: { counts: readonly number[] }) => counts.reduce((sum, n) => sum + n, 0);
    expect([total(all.writes.small), total(all.writes.bulk)]).toEqual([1, 1]);
  });
});
