// The order and the bounds of a round, with a kind and a clock of the test.
import { afterEach, expect, it, vi } from 'vitest';
import { watch } from '../../../test/alert-calls.ts';
import { failAtEachWrite } from '../../../test/failing-writes.ts';
import { removeFleet, useSteadyApi } from '../../../test/steady-api.ts';
import { word } from '../../../test/word.ts';
import type { Cause, Kinds } from './kinds/kind.ts';
import { createKinds } from './registry.ts';
import { createAlertRounds } from './round.ts';

const api = useSteadyApi();
afterEach(() => removeFleet(api));

/** Rounds of another server in which `active` finds the causes of rules that count errors. */
async function roundsWith(active: (filter: string) => Cause[], deps = api.server.deps) {
  return roundsOf(
    {
      ...createKinds(deps),
      'errlog.count': { ...UNUSED, active: async (_, { filter }) => ({ causes: active(filter) }) },
    },
    deps,
  );
}

/** Parts of a kind that these tests do not use. */
const UNUSED = { ends: true, replay: async () => ({ episodes: [] }) } as const;

async function roundsOf(kinds: Kinds, deps = api.server.deps) {
  // As after the time of the lease of the server that ran before.
  await api.server.deps.db.write(({ prisma }) => prisma.lease.deleteMany());
  return createAlertRounds(deps, kinds);
}
const watchCount = (filter: string) => watch(api, { kind: 'errlog.count', count: 1 }, { filter });

it('evaluates the slow rule next that has waited longest', async () => {
  const names = ['first', 'second', 'third'];
  for (const name of names) await watchCount(name);
  let clockMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => clockMs);
  const order: string[] = [];
  const rounds = await roundsWith((name) => {
    clockMs += 100;
    order.push(name);
    return [];
  });
  // The first round does not know which rules are slow. The others have time for one.
  for (let round = 0; round < 7; round += 1) await rounds.run(() => false, 50);
  clock.mockRestore();
  expect(order).toEqual([...names, ...names, ...names]);
  await rounds.close();
});

it('evaluates rules about outages before others, however slow they are', async () => {
  await watchCount('errors');
  await watch(api, { kind: 'agent.outage' });
  let clockMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => clockMs);
  const order: string[] = [];
  const note = (name: string, ms: number) => {
    clockMs += ms;
    order.push(name);
    return { causes: [] };
  };
  const kinds: Kinds = {
    ...createKinds(api.server.deps),
    'errlog.count': { ...UNUSED, active: async () => note('errors', 1) },
    'agent.outage': { ...UNUSED, active: async () => note('outages', 100) },
  };
  const rounds = await roundsOf(kinds);
  for (let round = 0; round < 2; round += 1) await rounds.run(() => false);
  clock.mockRestore();
  expect(order).toEqual(['outages', 'errors', 'outages', 'errors']);
  await rounds.close();
});

it('stores the fact that a detail was too large in its place', async () => {
  const rule = await watchCount(word());
  const cause = { key: 'group:1', title: 'large', sinceMs: api.now() };
  const rounds = await roundsWith(() => [{ ...cause, detail: { text: 'x'.repeat(20_000) } }]);
  await rounds.run(() => false);
  expect(await rule.alerts()).toMatchObject([{ title: 'large', detail: { cut: true } }]);
  await rounds.close();
});

it('stores nothing of a rule that a person changes meanwhile; the next round looks again', async () => {
  const rule = await watch(api, { kind: 'errlog.new' });
  await api.admin.errlog.append({ body: { level: 'error', log: word() } });
  const { db } = api.server.deps;
  const { write } = db;
  // Between the reads of a round and its write.
  db.write = async (work, options) => {
    await write(({ prisma }) =>
      prisma.alertRule.update({ where: { id: rule.id }, data: { modifiedMs: { increment: 1 } } }),
    );
    return await write(work, options);
  };
  await api.server.jobs.runAlerts();
  db.write = write;
  expect(await rule.alerts()).toEqual([]);
  expect(await rule.round()).toHaveLength(1);
});

it('notifies of each cause once, whichever write is the last before a crash', async () => {
  const names = ['one', 'two'].map((name) => `${name}-${word()}`);
  const rules: Awaited<ReturnType<typeof watchCount>>[] = [];
  for (const name of names) rules.push(await watchCount(name));
  const { deps } = api.server;
  const failed = await failAtEachWrite(deps.db, {
    prepare: () =>
      deps.db.write(async ({ prisma }) => {
        await prisma.alert.deleteMany();
        await prisma.webhookDelivery.deleteMany();
      }),
    async run(db) {
      const active = [{ key: 'group:1', title: 'many', detail: {}, sinceMs: api.now() }];
      const rounds = await roundsWith(() => active, { ...deps, db });
      await rounds.run(() => false).finally(() => rounds.close());
      const failures = rounds.stats().failures;
      if (failures > 0) throw new Error(`${failures} evaluations failed`);
    },
    async check() {
      for (const rule of rules) expect(await rule.messages()).toHaveLength(1);
    },
  });
  expect(failed).toBeGreaterThanOrEqual(2);
});

it('stores what other rules have found where that of one cannot be stored', async () => {
  const [broken, whole] = [await watchCount('broken'), await watchCount('whole')];
  const rounds = await roundsWith((name) => {
    const sinceMs = name === 'broken' ? Number.NaN : api.now();
    return [{ key: `group:${name}`, title: name, detail: {}, sinceMs }];
  });
  await rounds.run(() => false);
  expect(rounds.stats()).toMatchObject({ failures: 1, fired: 1 });
  expect(await whole.messages()).toHaveLength(1);
  expect(await broken.messages()).toEqual([]);
  await rounds.close();
});
