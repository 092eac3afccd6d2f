// Trap 1: what one write does is seen by nobody else until it is committed, and rolled back with nobody else.
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
async function play(tx: Tx, plan: Plan, name: string): Promise<void> {
  const type = plan.keep ? name : 'rolled back';
  for (let i = 0; i < plan.rows; i += 1) {
    if (plan.prisma) await tx.prisma.event.create({ data: { type, data: String(i), timeMs: 1n } });
    else await tx.sql.run(add, type, String(i), 1);
    if (plan.pause) await new Promise((resolve) => setImmediate(resolve));
  }
  if (!plan.keep) throw new ChangedMyMind();
}

/** Runs the plans at once; returns the names of the acknowledged writes, each as often as it wrote rows. */
async function runAll(database: Database, plans: readonly Plan[]): Promise<string[]> {
  const acknowledged: string[] = [];
  const run = async (plan: Plan, index: number) => {
    const name = `write ${index}`;
    try {
      await database.write((tx) => play(tx, plan, name));
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
    const lanes = 50;
    const turns = WRITES / lanes;
    const lane = async (number: number) => {
      for (let turn = 0; turn < turns; turn += 1) {
        const name = `${number}.${turn}`;
        const plan = { prisma: turn % 5 === 0, rows: 1 + (turn % 3), keep: turn % 2 === 0, pause: turn % 50 === 0 };
        await database
          .write((tx) => play(tx, plan, name))
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
    await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
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
