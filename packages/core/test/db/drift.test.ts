// The check that migrations make exactly what the models and `unmodeled.ts` say.
import { describe, expect, it } from 'vitest';
import { findDrift } from '../../prisma/check-drift.ts';
import { UNMODELED } from '../../prisma/unmodeled.ts';
import { knownMigrations } from '../../src/db/migrations.ts';
import { dialects, postgres } from './databases.ts';

describe.each(dialects)('the migrations of %s', (dialect) => {
  /** Drift of the known migrations and one more. */
  const driftAfter = async (sql: string) => {
    const next = { name: '99991231000000_next', sql };
    return await findDrift(dialect, await postgres(), [...knownMigrations(dialect), next]);
  };

  it('agree with the models', async () => {
    expect(await findDrift(dialect, await postgres())).toEqual([]);
  });

  it.each([
    ['an extra table', 'CREATE TABLE stray (id INTEGER NOT NULL PRIMARY KEY)', 'DROP TABLE "stray"'],
    ['a missing table', 'DROP TABLE kernel_rule', 'CREATE TABLE "kernel_rule"'],
    ['an extra index', 'CREATE INDEX stray ON outage (lost)', 'DROP INDEX "stray"'],
    ['a missing index', 'DROP INDEX agent_label_name_value_idx', 'CREATE INDEX "agent_label_name_value_idx"'],
    ['an extra view', 'CREATE VIEW stray AS SELECT id FROM outage', `${dialect}: unmodeled.ts lacks view stray.`],
  ])('are found to have %s', async (_drift, sql, report) => {
    expect(await driftAfter(sql)).toEqual([expect.stringContaining(report)]);
  });

  it.each(UNMODELED[dialect])('are found to lack %s', async (object) => {
    const [kind, name] = object.replace('virtual table', 'table').split(' ');
    const onTable = dialect === 'postgresql' && kind === 'trigger' ? ' ON agent' : '';
    const drift = await driftAfter(`DROP ${kind} ${name}${onTable}${dialect === 'postgresql' ? ' CASCADE' : ''}`);
    expect(drift).toContain(`The ${dialect} migrations lack ${object}.`);
  });

  it('are found to make a trigger that is not listed', async () => {
    const sql =
      dialect === 'sqlite'
        ? 'CREATE TRIGGER stray AFTER DELETE ON outage BEGIN SELECT 1; END'
        : 'CREATE TRIGGER stray AFTER UPDATE ON outage EXECUTE FUNCTION suppress_redundant_updates_trigger()';
    expect(await driftAfter(sql)).toEqual([`${dialect}: unmodeled.ts lacks trigger stray.`]);
  });
});
