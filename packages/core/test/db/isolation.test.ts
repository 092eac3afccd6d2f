// Isolation: nobody sees a write before its commit, and no write is rolled back with another.
import { setImmediate as nextRound } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { atMost, IS_THOROUGH } from '../../../../test/thoroughness.ts';
import { type Database, statement, type Tx } from '../../src/db/open/index.ts';
import { dialects, newSqlite, open, usePostgres } from './databases.ts';

const postgres = usePostgres();

const add = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, ?)');
const listTypes = statement('SELECT type FROM event');
const dirty = statement("SELECT count(*) AS n FROM event WHERE type = 'rolled back'");

const WRITES = atMost(250, 10_000);

class ChangedMyMind extends Error {}

interface Plan {
  readonly prisma: boolean;
  readonly rows: number;
  readonly keep: boolean;
  readonly pause: boolean;
}

/** Writes `rows` rows of one name, and either keeps them all or none. */
async function applyPlan(tx: Tx, plan: Plan, name: string): Promise<void> {
  const type = plan.keep ? name : 'rolled back';
  for (let i = 0; i < plan.rows; i += 1) {
    if (plan.prisma) await tx.prisma.event.create({ data: { type, data: String(i), timeMs: 1n } });
    else await tx.sql.run(add, type, String(i), 1);
    if (plan.pause) await nextRound();
  }
  if (!plan.keep) throw new ChangedMyMind();
}

/** Writes a plan; returns the name once for each row, or nothing for one that is rolled back. */
async function write(database: Database, plan: Plan, name: string): Promise<string[]> {
  try {
    await database.write((tx) => applyPlan(tx, plan, name));
    return Array(plan.rows).fill(name);
  } catch (error) {
    if (error instanceof ChangedMyMind) return [];
    throw error;
  }
}

async function storedTypes(database: Database): Promise<string[]> {
  const rows = await database.read.sql.all<{ type: string }>(listTypes);
  return rows.map(({ type }) => type).sort();
}

describe.each(nonEmpty(IS_THOROUGH ? dialects : (['sqlite'] as const)))('%s', (dialect) => {
  const openNew = async () =>
    open(
      dialect === 'sqlite' ? await newSqlite() : { kind: 'postgresql', url: await (await postgres()).createDatabase() },
    );

  it(`loses none of ${WRITES} mixed writes, half of them rolled back, and shows none that is not committed`, async () => {
    const database = await openNew();
    let running = true;
    let seen = 0;
    const watch = async () => {
      while (running) {
        const row = await database.read.sql.get<{ n: number }>(dirty);
        seen += row?.n ?? 0;
        await nextRound();
      }
    };
    const watching = watch();
    const acknowledged: string[] = [];
    const writers = 50;
    const runWriter = async (number: number) => {
      for (let count = 0; count < WRITES / writers; count += 1) {
        const plan = { prisma: count % 5 === 0, rows: 1 + (count % 3), keep: count % 2 === 0, pause: count % 50 === 0 };
        acknowledged.push(...(await write(database, plan, `${number}.${count}`)));
      }
    };
    await Promise.all(Array.from({ length: writers }, (_, number) => runWriter(number)));
    running = false;
    await watching;
    expect(seen).toBe(0);
    expect(await storedTypes(database)).toEqual(acknowledged.sort());
  });

  it('keeps exactly what was acknowledged, whatever is written at once', async () => {
    const plan = fc.record({ prisma: fc.boolean(), rows: fc.nat(3), keep: fc.boolean(), pause: fc.boolean() });
    const database = await openNew();
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 20 }), async (plans) => {
        await database.write((tx) => tx.prisma.event.deleteMany());
        const acknowledged = await Promise.all(plans.map((each, index) => write(database, each, `write ${index}`)));
        expect(await storedTypes(database)).toEqual(acknowledged.flat().sort());
      }),
      { numRuns: atMost(5, 40) },
    );
  });
});
