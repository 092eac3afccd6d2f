import { describe, expect, it } from 'vitest';
import { hostOf } from '../../test/host-tree.ts';
import type { CommandOutput, Exec } from '../facts/exec.ts';
import type { FoundChange, Observed } from '../observe/watcher.ts';
import { unitWatcher } from './units.ts';

const { signal } = new AbortController();
const NOW_MS = 1_800_000_000_000;

interface Shown {
  readonly active?: string;
  readonly sub?: string;
  readonly result?: string;
  readonly restarts?: number;
  readonly run?: string;
  readonly load?: string;
}

const show = (id: string, unit: Shown = {}): string =>
  [
    `Id=${id}`,
    `LoadState=${unit.load ?? 'loaded'}`,
    `ActiveState=${unit.active ?? 'active'}`,
    `SubState=${unit.sub ?? 'running'}`,
    `Result=${unit.result ?? 'success'}`,
    `NRestarts=${unit.restarts ?? 0}`,
    `InvocationID=${unit.run ?? 'aa'}`,
    'StateChangeTimestampMonotonic=90000000',
  ].join('\n');

/** A host with systemd, booted 100 s ago. Each look finds the units that are shown next. */
async function systemdHost() {
  const { files } = await hostOf({ files: { '/run/systemd/system/.keep': '' } });
  const ran: string[] = [];
  let output: CommandOutput = { ok: true, stdout: '', stderr: '' };
  const exec: Exec = async (command) => {
    ran.push(command.join(' '));
    return output;
  };
  const units = ['nginx.service', 'php*-fpm.service'];
  const watcher = unitWatcher({ exec, files, units, now: () => NOW_MS, systemMs: () => 100_000 });
  let observed: Observed | undefined;
  return {
    ran,
    async next(...blocks: string[]): Promise<readonly FoundChange[]> {
      output = { ok: true, stdout: `${blocks.join('\n\n')}\n`, stderr: '' };
      const look = await watcher.look(observed, signal);
      observed = look.observed;
      return look.changes;
    },
    async fail() {
      output = { ok: false, stdout: '', stderr: '' };
      return watcher.look(observed, signal);
    },
  };
}

const failed = { active: 'failed', sub: 'failed', result: 'exit-code' };

describe('units', () => {
  it('asks for all units in one call', async () => {
    const host = await systemdHost();
    expect(await host.next(show('nginx.service'))).toEqual([]);
    expect(host.ran).toEqual([
      'systemctl show --property=Id,LoadState,ActiveState,SubState,Result,NRestarts,InvocationID,' +
        'StateChangeTimestampMonotonic -- nginx.service php*-fpm.service',
    ]);
  });

  it('reports a service that failed and one that was started, at the time of systemd', async () => {
    const host = await systemdHost();
    await host.next(show('nginx.service'), show('php8.2-fpm.service', { active: 'inactive', sub: 'dead' }));
    expect(await host.next(show('nginx.service', failed), show('php8.2-fpm.service'))).toEqual([
      {
        kind: 'unit',
        field: 'nginx.service',
        from: 'active (running)',
        to: 'failed (exit-code)',
        atMs: NOW_MS - 10_000,
      },
      {
        kind: 'unit',
        field: 'php8.2-fpm.service',
        from: 'inactive (dead)',
        to: 'active (running)',
        atMs: NOW_MS - 10_000,
      },
    ]);
  });

  it('reports a restart by its new run, once', async () => {
    const host = await systemdHost();
    await host.next(show('nginx.service'));
    const restarted = show('nginx.service', { run: 'bb' });
    expect(await host.next(restarted)).toMatchObject([
      { field: 'nginx.service', from: 'active (running)', to: 'active (running), restarted' },
    ]);
    expect(await host.next(restarted)).toEqual([]);
  });

  it('reports a service that systemd restarts again and again once, and its end', async () => {
    const host = await systemdHost();
    await host.next(show('nginx.service'));
    const changes = [
      ...(await host.next(show('nginx.service', { run: 'bb', restarts: 3 }))),
      ...(await host.next(
        show('nginx.service', { run: 'cc', restarts: 9, active: 'activating', sub: 'auto-restart' }),
      )),
      ...(await host.next(show('nginx.service', { run: 'dd', restarts: 12 }))),
      ...(await host.next(show('nginx.service', { ...failed, run: 'dd', restarts: 12 }))),
    ];
    expect(changes.map(({ from, to }) => [from, to])).toEqual([
      ['active (running)', 'restarted automatically'],
      ['restarted automatically', 'failed (exit-code)'],
    ]);
  });

  it('reports units that come and go, and none that systemd does not know', async () => {
    const host = await systemdHost();
    await host.next(show('nginx.service'), show('none.service', { load: 'not-found', active: 'inactive' }));
    const changes = await host.next(show('php8.2-fpm.service'));
    expect(changes.map(({ field, from, to }) => [field, from, to])).toEqual([
      ['php8.2-fpm.service', '', 'active (running)'],
      ['nginx.service', 'active (running)', ''],
    ]);
  });

  it('keeps the last observation when systemctl fails', async () => {
    await expect((await systemdHost()).fail()).rejects.toThrow('systemctl show failed');
  });

  it('runs nothing without systemd', async () => {
    const host = await hostOf({});
    const { look } = unitWatcher({ ...host, units: ['nginx.service'], now: () => 0, systemMs: () => 0 });
    expect(await look(undefined, signal)).toEqual({ observed: {}, changes: [] });
    expect(host.ran).toEqual([]);
  });
});
