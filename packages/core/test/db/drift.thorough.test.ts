// The check that migrations make exactly what the models and `unmodeled.ts` say.
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { findDrift } from '../../prisma/check-drift.ts';
import { UNMODELED } from '../../prisma/unmodeled.ts';
import { knownMigrations } from '../../src/db/migrations.ts';
import { dialects, usePostgres } from './databases.ts';

const postgres = usePostgres();

describe.each(nonEmpty(dialects))('the migrations of %s', (dialect) => {
  /** Drift of the known migrations and one more. */
  const driftAfter = async (sql: string) => {
    const next = { name: '99991231000000_next', sql };
    return await findDrift(dialect, await postgres(), [...knownMigrations(dialect), next]);
  };

  it('agree with the models', async () => {
    expect(await findDrift(dialect, await postgres())).toEqual([]);
  });

  it('are found to differ from the models', async () => {
    const [report = ''] = await driftAfter(
      `CREATE TABLE stray (id INTEGER NOT NULL PRIMARY KEY); DROP TABLE kernel_rule;
       CREATE INDEX extra ON outage (lost); DROP INDEX agent_label_name_value_idx`,
    );
    const repairs = ['DROP TABLE "stray"', 'CREATE TABLE "kernel_rule"', 'DROP INDEX "extra"'];
    for (const sql of [...repairs, 'CREATE INDEX "agent_label_name_value_idx"']) expect(report).toContain(sql);
  });

  it('are found to have other objects than those that are listed', async () => {
    const objects = nonEmpty(UNMODELED[dialect]);
    const cascade = dialect === 'postgresql' ? ' CASCADE' : '';
    const drops = objects.toReversed().map((object) => `DROP ${object.replace('virtual table', 'table')}${cascade};`);
    const trigger =
      dialect === 'sqlite'
        ? 'CREATE TRIGGER stray AFTER DELETE ON outage BEGIN SELECT 1; END;'
        : 'CREATE TRIGGER stray AFTER UPDATE ON outage EXECUTE FUNCTION suppress_redundant_updates_trigger();';
    const drift = await driftAfter(`${drops.join('\n')} ${trigger} CREATE VIEW strange AS SELECT id FROM outage`);
    const missing = objects.map((object) => `The ${dialect} migrations lack ${object}.`);
    const extra = ['trigger stray', 'view strange'].map((object) => `${dialect}: unmodeled.ts lacks ${object}.`);
    expect(drift).toEqual(expect.arrayContaining([...missing, ...extra]));
  });
});
