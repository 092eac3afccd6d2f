// Effects of a change on the errors of the hosts that made it.
import type { ChangeEffects } from '@quarterdeck/core';
import { errlogStore } from '@quarterdeck/store';
import { beforeEach, describe, expect, it } from 'vitest';
import { MadeError, storeAgents } from '../../../../test/fleet.ts';
import { useSteadyApi } from '../../../../test/steady-api.ts';

const api = useSteadyApi();
/** Time of the change: half an hour ago. */
let T = 0;

const db = () => api.server.deps.db;

// Agents and errors of other tests would be others.
beforeEach(async () => {
  await db().write(async ({ prisma }) => {
    await prisma.agent.deleteMany();
    await prisma.errlogHour.deleteMany();
  });
  T = Math.floor(api.now() / 60_000) * 60 - 1_800;
});

/** Reports a deployment on agents. */
async function deploy(agents: readonly number[] | undefined, time = T, after = '2'): Promise<number> {
  const rows = await db().read.prisma.agent.findMany({ where: { id: { in: [...(agents ?? [])] } } });
  const hosts = agents === undefined ? {} : { hosts: rows.map(({ nodeId }) => nodeId) };
  const { id } = await api.admin.change.create({ body: { kind: 'deploy', name: 'shop', after, time, ...hosts } });
  return id;
}

const effectsOf = (id: number, query = {}): Promise<ChangeEffects> =>
  api.admin.change.effects({ params: { id }, query });
const logsOf = ({ errors }: ChangeEffects) => errors.map(({ log, verdict }) => [log, verdict]);
/** Times with a step, from minutes after the change on. */
const times = (fromMinute: number, toMinute: number, every = 1) =>
  Array.from({ length: (toMinute - fromMinute) / every }, (_, n) => T + (fromMinute + n * every) * 60 + 7);

/** Stores an error that happens on all agents at the same times. */
async function onAll(agents: readonly number[], at: readonly number[], level?: number): Promise<MadeError> {
  const error = new MadeError(db(), level);
  if (at.length > 0) await error.onAgents(agents, at);
  return error;
}

describe('of a change on 8 of 20 hosts', () => {
  let own: number[];
  let others: number[];
  let all: number[];
  beforeEach(async () => {
    all = await storeAgents(api, 20);
    [own, others] = [all.slice(0, 8), all.slice(8)];
    // An error that was there before.
    await onAll(all, times(-60, 30, 6));
  });

  it('are worse where only these hosts get a new error', async () => {
    const error = await onAll(own, times(2, 30, 5));
    const id = await deploy(own);
    const effects = await effectsOf(id);
    expect(effects).toMatchObject({ verdict: 'worse', time: T, from: T - 3_600, until: Math.floor(api.now() / 1_000) });
    expect(effects).toMatchObject({ hosts: 8, others: 12, complete: true, silent: 0, settled: true, missing: [] });
    expect(effects.errors).toEqual([
      {
        id: expect.any(Number),
        ...{ level: 3, log: error.log, service: '', verdict: 'new' },
        ...{ before: 0, after: 40, others_before: 0, others_after: 0 },
      },
    ]);
  });

  it('are worse where an error becomes more frequent on these hosts alone', async () => {
    const error = await onAll(all, times(-60, 30, 10));
    await error.onAgents(own, times(0, 30, 2));
    const effects = await effectsOf(await deploy(own));
    expect(effects.verdict).toBe('worse');
    expect(logsOf(effects)).toEqual([[error.log, 'more']]);
    expect(effects.errors[0]).toMatchObject({ before: 48, after: 8 * 18, others_before: 72, others_after: 36 });
  });

  it.each<[name: string, happen: () => Promise<unknown>]>([
    ['all hosts get a new error', () => onAll(all, times(2, 30, 5))],
    ['an error becomes more frequent everywhere', () => onAll(all, [...times(-60, 30, 10), ...times(0, 30)])],
    [
      'an error becomes a little more frequent on these hosts',
      async () => {
        const error = await onAll(all, times(-60, 30));
        await error.onAgents(own, times(0, 30, 5));
      },
    ],
    ['nothing happens', async () => undefined],
    ['the others alone get worse', () => onAll(others, times(2, 30, 5))],
    [
      'one of these hosts has a burst of errors',
      () =>
        onAll(
          own.slice(0, 1),
          Array.from({ length: 5_000 }, (_, n) => T + 300 + (n % 600)),
        ),
    ],
  ])('are no difference where %s', async (_, happen) => {
    await happen();
    expect(await effectsOf(await deploy(own))).toMatchObject({ verdict: 'no_difference', errors: [] });
  });

  it('are worse where a new error is frequent on half of these hosts, and comes once on a third of the others', async () => {
    const error = await onAll(own.slice(0, 4), times(2, 30));
    await error.onAgents(others.slice(0, 4), times(2, 3));
    const effects = await effectsOf(await deploy(own));
    expect(effects.verdict).toBe('worse');
    expect(logsOf(effects)).toEqual([[error.log, 'new']]);
  });

  it('name an error that ends on these hosts, and a new warning, which are not worse', async () => {
    const error = await onAll(own, times(-60, 0, 4));
    await error.onAgents(others, times(-60, 30, 4));
    const warning = await onAll(own, times(2, 30, 5), 5);
    const effects = await effectsOf(await deploy(own));
    expect(effects.verdict).toBe('no_difference');
    expect(logsOf(effects).sort()).toEqual(
      [
        [error.log, 'less'],
        [warning.log, 'new'],
      ].sort(),
    );
  });

  it('are too early a few minutes later, unless they are worse already', async () => {
    const id = await deploy(own, Math.floor(api.now() / 1000) - 240);
    expect(await effectsOf(id)).toMatchObject({ verdict: 'too_early', errors: [] });
    await onAll(own, times(27, 29));
    expect((await effectsOf(id)).verdict).toBe('worse');
  });

  it('leave out hosts that made the same change meanwhile', async () => {
    const [second, rest] = [[...others, ...(await storeAgents(api, 14))], await storeAgents(api, 6)];
    await onAll([...own, ...second], times(10, 30, 2));
    const id = await deploy(own, T, '3');
    expect((await effectsOf(id)).verdict).toBe('no_difference');
    await deploy(second, T + 300, '3');
    expect(await effectsOf(id)).toMatchObject({ verdict: 'worse', hosts: 8, others: rest.length });
  });

  it('see a small new error among hundreds of others', async () => {
    for (let n = 0; n < 100; n += 1) await new MadeError(db()).onAgent(all[n % 20] ?? 0, times(n % 29, 30, 1));
    const error = await onAll(own, times(20, 30, 5));
    const effects = await effectsOf(await deploy(own));
    expect(effects.verdict).toBe('worse');
    expect(logsOf(effects)).toEqual([[error.log, 'new']]);
  });
});

describe('of a change of few hosts', () => {
  it.each<[name: string, hosts: number, own: number, background: number[], error: () => number[]]>([
    ['after some minutes with a new error', 3, 1, [-60, 30, 3], () => times(1, 30, 2)],
    [
      'where all of four hosts get a new error now and then, and none of the other four',
      8,
      4,
      [],
      () => times(5, 30, 3),
    ],
  ])('are worse %s', async (_, hosts, count, [from = 0, to = 0, every], error) => {
    const all = await storeAgents(api, hosts);
    const own = all.slice(0, count);
    await onAll(all, times(from, to, every));
    const { log } = await onAll(own, error());
    const effects = await effectsOf(await deploy(own));
    expect(effects).toMatchObject({ verdict: 'worse', hosts: count, others: hosts - count });
    expect(logsOf(effects)).toEqual([[log, 'new']]);
  });

  it.each<[name: string, hosts: number, own: number, ill: number, error: () => number[]]>([
    ['the others get it too', 4, 2, 4, () => times(1, 30, 2)],
    ['one of three hosts gets worse', 6, 3, 1, () => times(1, 30)],
    ['an error happens once', 3, 1, 1, () => times(1, 2)],
    ['all of three hosts get a new error in one minute, which one of 84 draws explains', 9, 3, 3, () => times(5, 6)],
  ])('are no difference where %s', async (_, hosts, count, ill, error) => {
    const all = await storeAgents(api, hosts);
    await onAll(all.slice(0, ill), error());
    expect((await effectsOf(await deploy(all.slice(0, count)))).verdict).toBe('no_difference');
  });

  it('name an error that ends', async () => {
    const [first = 0, second = 0] = await storeAgents(api, 2);
    const error = await onAll([first], times(-60, 0));
    await error.onAgent(second, times(-60, 30));
    expect(logsOf(await effectsOf(await deploy([first])))).toEqual([[error.log, 'less']]);
  });
});

describe('of a change of the whole fleet', () => {
  it('compare the time before and after', async () => {
    const all = await storeAgents(api, 5);
    await onAll(all, times(-60, 30, 3));
    expect(await effectsOf(await deploy(undefined))).toMatchObject({ verdict: 'no_difference', hosts: 5, others: 0 });
    const error = await onAll(all, times(2, 30, 3));
    const effects = await effectsOf(await deploy(undefined));
    expect(effects.verdict).toBe('worse');
    expect(logsOf(effects)).toEqual([[error.log, 'new']]);
  });
});

describe('of a change', () => {
  it('count sources without an agent by their names', async () => {
    const names = Array.from({ length: 16 }, (_, n) => `lb-${n}`);
    const [usual, error] = [new MadeError(db()), new MadeError(db())];
    for (const [n, name] of names.entries()) {
      const source = { nodeType: 2, nodeId: -1, name, address: '' };
      await usual.on(source, times(-60, 30, 6));
      if (n < 6) await error.on(source, times(0, 30, 6));
    }
    const body = { kind: 'config', name: 'haproxy', hosts: names.slice(0, 6), time: T };
    const { id } = await api.admin.change.create({ body });
    const effects = await effectsOf(id);
    expect(effects).toMatchObject({ verdict: 'worse', hosts: 6, others: 10 });
    expect(logsOf(effects)).toEqual([[error.log, 'new']]);
  });

  it('are too early without a known host', async () => {
    const { id } = await api.admin.change.create({ body: { kind: 'deploy', name: 'x', hosts: ['nobody'], time: T } });
    const effects = await effectsOf(id);
    expect(effects).toMatchObject({ verdict: 'too_early', settled: false, missing: ['hosts'], hosts: 0, errors: [] });
  });

  it('are too early of one in the future', async () => {
    const all = await storeAgents(api, 2);
    const time = Math.floor(api.now() / 1000) + 200;
    expect(await effectsOf(await deploy(all, time))).toMatchObject({ verdict: 'too_early', until: time });
  });

  it('compare whole hours where minutes are no longer kept', async () => {
    const all = await storeAgents(api, 20);
    T = Math.floor(api.now() / 3_600_000) * 3_600 - 5 * 86_400 + 1_200;
    const own = all.slice(0, 8);
    await onAll(all, times(-300, 300, 7));
    const error = await onAll(own, times(0, 300, 20));
    // Of the hour of the change nobody knows which of its errors came before it.
    await onAll(own, times(-20, 0));
    const id = await deploy(own);
    await api.server.jobs.runAll();
    const effects = await effectsOf(id, { within: 10_800 });
    expect([effects.from % 3_600, effects.until % 3_600]).toEqual([0, 0]);
    expect(effects.verdict).toBe('worse');
    expect(logsOf(effects)).toEqual([[error.log, 'new']]);
  });

  it('are incomplete where lines were lost meanwhile', async () => {
    const all = await storeAgents(api, 4);
    const id = await deploy(all.slice(0, 2));
    expect((await effectsOf(id)).complete).toBe(true);
    const store = errlogStore(db());
    const nowS = Math.floor(api.now() / 1000);
    await db().write(async (tx) => {
      await store.lock(tx);
      await store.recordListening(tx, [{ stage: 'udp', lines: 5, fromS: nowS - 5 }], nowS);
    });
    api.advance(120_000);
    expect(await effectsOf(id)).toMatchObject({ complete: false, verdict: 'too_early', missing: ['silent', 'lines'] });
    // Changes of other tests are later.
    api.advance(3 * 3_600_000);
  });
});

it('are the answer at once where they are settled, and else when the time to wait is over', async () => {
  const all = await storeAgents(api, 4);
  const [settled, recent] = [await deploy(all.slice(0, 2)), await deploy(all.slice(0, 2), T + 1_750)];
  const waits = [effectsOf(settled, { wait: 60 }), effectsOf(recent, { wait: 1 })];
  expect(await Promise.all(waits)).toMatchObject([
    { verdict: 'no_difference', settled: true },
    { verdict: 'too_early', settled: false, missing: ['time'] },
  ]);
  await expect(effectsOf(settled, { wait: 61 })).rejects.toMatchObject({ code: 'validation_failed' });
});

describe('of a change of a minute or two ago', () => {
  let own: number[];
  beforeEach(async () => {
    const all = await storeAgents(api, 6);
    own = all.slice(0, 2);
    await onAll(all, times(-30, 30, 6));
    T = Math.floor(api.now() / 1_000) - 110;
  });
  /** Every two seconds, from seconds after the change on. */
  const seconds = (from: number, to: number) => Array.from({ length: (to - from) / 2 }, (_, n) => T + from + 2 * n);

  it('are worse as soon as a new error lasts on these hosts', async () => {
    const error = await onAll(own, seconds(4, 110), 4);
    const effects = await effectsOf(await deploy(own, T));
    expect(effects).toMatchObject({ verdict: 'worse', settled: true });
    expect(logsOf(effects)).toEqual([[error.log, 'new']]);
  });

  it('are the answer to a request that waits, as soon as they are worse', async () => {
    const id = await deploy(own, T);
    const waiting = effectsOf(id, { wait: 60 });
    await onAll(own, seconds(4, 110), 4);
    expect(await waiting).toMatchObject({ verdict: 'worse', settled: true });
  });

  it('are too early where requests fail while a program starts again', async () => {
    await onAll(own, seconds(0, 6), 4);
    expect(await effectsOf(await deploy(own, T))).toMatchObject({ verdict: 'too_early', missing: ['time'] });
  });

  it('are too early where a host does not report any more', async () => {
    const [id = 0] = own;
    const change = await deploy(own, T - 900);
    expect(await effectsOf(change)).toMatchObject({ verdict: 'no_difference', settled: true, silent: 0, missing: [] });
    await db().write(async ({ prisma }) => {
      await prisma.agent.update({ where: { id }, data: { lastReportedMs: BigInt((T - 60) * 1_000) } });
    });
    expect(await effectsOf(change)).toMatchObject({
      verdict: 'too_early',
      settled: false,
      silent: 1,
      missing: ['silent'],
    });
  });
});
