// Isolation: nobody sees a write before its commit, and no write is rolled back with another.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { type Database, statement, type Tx } from '../../src/db/index.ts';
import { dialects, openNew } from './databases.ts';

const add = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, ?)');
const listTypes = statement('SELECT type FROM event');
const dirty = statement("SELECT count(*) AS n FROM event WHERE type = 'rolled back'");

const WRITES = atMost(1_000, 10_000);

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
    if (plan.pause) await new Promise((resolve) => setImmediate(resolve));
  }
  if (!plan.keep) throw new ChangedMyMind();
}

/** Runs the plans at once; returns the name of each acknowledged write once for each row that it wrote. */
async function runAll(database: Database, plans: readonly Plan[]): Promise<string[]> {
  const acknowledged: string[] = [];
  const run = async (plan: Plan, index: number) => {
    const name = `write ${index}`;
    try {
      await database.write((tx) => applyPlan(tx, plan, name));
    } catch (error) {
      if (error instanceof ChangedMyMind) return;
      throw error;
    }
    for (let i = 0; i < plan.rows; i += 1) acknowledged.push(name);
  };
  await Promise.all(plans.map(run));
  return acknowledged.sort();
}

async function storedTypes(database: Database): Promise<string[]> {
  const rows = await database.read.sql.all<{ type: string }>(listTypes);
  return rows.map(({ type }) => type).sort();
}

describe.each(dialects)('%s', (dialect) => {
  it(`loses none of ${WRITES} mixed writes, half of them rolled back, and shows none that is not committed`, async () => {
    const database = await openNew(dialect);
    let running = true;
    let seen = 0;
    const watch = async () => {
      while (running) {
        const row = await database.read.sql.get<{ n: number }>(dirty);
        seen += row?.n ?? 0;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const watching = watch();
    const acknowledged: string[] = [];
    const writers = 50;
    const writes = WRITES / writers;
    const runWriter = async (number: number) => {
      for (let count = 0; count < writes; count += 1) {
        const name = `${number}.${count}`;
        const plan = { prisma: count % 5 === 0, rows: 1 + (count % 3), keep: count % 2 === 0, pause: count % 50 === 0 };
        await database
          .write((tx) => applyPlan(tx, plan, name))
          .then(
            () => {
              for (let i = 0; i < plan.rows; i += 1) acknowledged.push(name);
            },
            (error: unknown) => {
              if (!(error instanceof ChangedMyMind)) throw error;
            },
          );
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
    const database = await openNew(dialect);
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 20 }), async (plans) => {
        await database.write((tx) => tx.prisma.event.deleteMany());
        const acknowledged = await runAll(database, plans);
        expect(await storedTypes(database)).toEqual(acknowledged);
      }),
      { numRuns: atMost(8, 40) },
    );
  });
});
