// Rules about the health of the server: disk, lost lines, database, backups, channels.

import { storeSetting } from '@quarterdeck/core/sql';
import { errlogStore } from '@quarterdeck/store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { alertCalls } from '../../../../test/alert-kind-calls.ts';
import { removeFleet, useSteadyApi } from '../../../../test/steady-api.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const GIB = 1024 ** 3;

const api = useSteadyApi();
const calls = alertCalls(api);
beforeEach(() => setDisk(50));
afterEach(async () => {
  await removeFleet(api);
  await api.server.deps.db.write(async ({ prisma }) => {
    await prisma.webhook.deleteMany();
    await prisma.setting.deleteMany({ where: { name: { startsWith: 'last_backup' } } });
  });
});

const health = () => api.server.deps.health;
const setDisk = (freeGib: number) =>
  vi.spyOn(health(), 'disk').mockResolvedValue({ freeBytes: freeGib * GIB, totalBytes: 100 * GIB });
const watchHealth = () => calls.watch({ when: { kind: 'server.health' } });
/** Causes of a rule with their states after a round. */
async function statesOf(rule: number) {
  await calls.round();
  return (await calls.alertsOf(rule)).map(({ key, state, messages }) => `${key} ${state} ${messages}`);
}

describe('a rule server.health', () => {
  it('notifies of a full disk once, and that there is space again', async () => {
    const rule = await watchHealth();
    expect(await statesOf(rule)).toEqual([]);
    setDisk(0.5);
    await calls.round();
    expect(await statesOf(rule)).toEqual(['disk firing 1']);
    setDisk(1.1);
    expect(await statesOf(rule)).toEqual(['disk firing 1']);
    setDisk(2);
    expect(await statesOf(rule)).toEqual(['disk resolved 1']);
  });

  it('notifies of lost lines until none were lost for minutes', async () => {
    const rule = await watchHealth();
    const { db } = api.server.deps;
    const store = errlogStore(db);
    const nowS = Math.floor(api.now() / 1000);
    await db.write(async (tx) => {
      await store.lock(tx);
      await store.recordListening(tx, [{ stage: 'udp', lines: 1234, fromS: nowS - 5 }], nowS);
    });
    expect(await statesOf(rule)).toEqual(['drops firing 1']);
    const [alert] = await calls.alertsOf(rule);
    expect(alert).toMatchObject({
      title: '1,234 log lines lost within minutes, most because more datagrams came than this server could take',
      detail: { lines: 1234, stages: [{ name: 'udp', lines: 1234 }], sources: [] },
    });
    api.advance(3 * MINUTE_MS);
    expect(await statesOf(rule)).toEqual(['drops firing 1']);
    api.advance(4 * MINUTE_MS);
    expect(await statesOf(rule)).toEqual(['drops resolved 1']);
    const preview = await calls.preview({ when: { kind: 'server.health' } });
    expect(preview).toMatchObject({ fired: 1, complete: false, examples: [{ key: 'drops' }] });
  });

  it('notifies of a database that was away for over a minute, when it is back', async () => {
    const rule = await watchHealth();
    const failure = { fromMs: api.now() - 90_000, untilMs: api.now(), reason: 'The database cannot be reached.' };
    const failures = vi.spyOn(health(), 'databaseFailures').mockReturnValue([failure]);
    expect(await statesOf(rule)).toEqual(['database firing 1']);
    expect((await calls.alertsOf(rule))[0]?.title).toContain('The database did not answer for 1 min 30 s, until ');
    api.advance(6 * MINUTE_MS);
    expect(await statesOf(rule)).toEqual(['database resolved 1']);
    failures.mockRestore();
  });

  it('notifies of missing and failed backups where the server makes them', async () => {
    const rule = await watchHealth();
    const store = (name: string, value: unknown) =>
      api.server.deps.db.write((tx) => storeSetting(tx, name, JSON.stringify(value)));
    await store('last_backup', { timeMs: api.now() - 27 * HOUR_MS, file: 'x', bytes: 1, sha256: '' });
    expect(await statesOf(rule)).toEqual([]);
    Object.assign(health(), { makesBackups: true });
    expect(await statesOf(rule)).toEqual(['backup firing 1']);
    await store('last_backup', { timeMs: api.now() - HOUR_MS, file: 'x', bytes: 1, sha256: '' });
    expect(await statesOf(rule)).toEqual(['backup resolved 1']);
    api.advance(2 * HOUR_MS);
    await store('last_backup_error', { timeMs: api.now(), sinceMs: api.now(), message: 'The folder is full.' });
    expect(await statesOf(rule)).toEqual(['backup resolved 1', 'backup firing 1']);
    await store('last_backup_error', 'of a later version');
    expect(await statesOf(rule)).toEqual(['backup resolved 1', 'backup resolved 1']);
    Object.assign(health(), { makesBackups: false });
  });

  it('notifies of each channel that has failed for an hour', async () => {
    const ms = BigInt(api.now());
    const { prisma } = api.server.deps.db.read;
    const add = (name: string, failingForMs: number, enabled = true) =>
      api.server.deps.db.write((tx) =>
        tx.prisma.webhook.create({
          data: {
            name,
            kind: 'standard',
            enabled,
            failingSinceMs: failingForMs === 0 ? 0 : ms - BigInt(failingForMs),
            createdMs: ms,
            modifiedMs: ms,
            createdBy: 'admin',
          },
        }),
      );
    const failing = await add('ops', 61 * MINUTE_MS);
    await add('good', 0);
    await add('since lately', 50 * MINUTE_MS);
    await add('off', 90 * MINUTE_MS, false);
    const gone = await add('gone', 90 * MINUTE_MS, false);
    await api.server.deps.db.write((tx) => tx.prisma.webhook.update({ where: { id: gone.id }, data: { goneMs: ms } }));
    const rule = await watchHealth();
    expect(await statesOf(rule)).toEqual([`channel:${failing.id} firing 1`, `gone:${gone.id} firing 1`]);
    await api.admin.webhook.update({ params: { id: gone.id }, body: { enabled: false } });
    await api.server.deps.db.write((tx) =>
      tx.prisma.webhook.update({ where: { id: failing.id }, data: { failingSinceMs: 0 } }),
    );
    const ended = [`channel:${failing.id} resolved 1`, `gone:${gone.id} resolved 1`];
    expect(await statesOf(rule)).toEqual(ended);
    expect(await prisma.webhook.count()).toBe(5);
  });
});
