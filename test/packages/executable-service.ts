// The single executable as a service of a real systemd: it replaces itself inside the sandbox of its unit.
import { appendFileSync, copyFileSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASE, ROOT } from '../../scripts/release/release-folder.ts';
import {
  expectUpgrade,
  offer,
  type UpgradedAgent,
  type UpgradeWorld,
  untilRuns,
  withUpgradeWorld,
} from './agent-upgrades.ts';
import { NAME } from './agent-versions.ts';
import { type BootedRoot, bootRoot } from './booted-root.ts';
import { check } from './check.ts';
import { succeed, waitFor } from './installation.ts';

const UNIT = 'quarterdeck-agent';
/** Seconds in which a version on trial must report, also on a busy machine. */
const TRIAL_S = 600;

/** A property of the unit. */
const property = ({ run }: BootedRoot, name: string): string =>
  succeed(run, ['systemctl', 'show', UNIT, `--property=${name}`, '--value']).trim();

/** Installs the executable with the settings of its upgrades, and starts it. */
function installAgent({ folder, run }: BootedRoot, { url, downloads, key, token }: UpgradeWorld): void {
  cpSync(join(ROOT, 'packaging/systemd'), join(folder, 'opt/systemd'), { recursive: true });
  copyFileSync(join(RELEASE, NAME), join(folder, 'opt', NAME));
  succeed(run, ['sh', '/opt/systemd/install.sh', 'agent', `/opt/${NAME}`]);
  const settings = { url, upgrade_url: downloads.url, upgrade_key: key, upgrade_trial_s: TRIAL_S };
  const lines = Object.entries(settings).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  appendFileSync(join(folder, 'etc/quarterdeck-agent/agent.toml'), lines.join(''));
  writeFileSync(join(folder, 'etc/quarterdeck-agent/enroll-token'), `${token}\n`, { mode: 0o600 });
  succeed(run, ['systemctl', 'enable', '--quiet', '--now', UNIT]);
}

async function checkService(root: BootedRoot, agent: UpgradedAgent): Promise<void> {
  const [pid, status] = [property(root, 'MainPID'), property(root, 'StatusText')];
  check(status.startsWith('reports to'), `the executable is a service: ${status}`);
  await offer(agent, '0.2.0');
  await expectUpgrade(agent, 'a signed version under systemd', ['0.2.0', 'succeeded', /restarted as 0\.2\.0/]);
  const isSame = property(root, 'MainPID') === pid && property(root, 'NRestarts') === '0';
  check(isSame && property(root, 'ActiveState') === 'active', 'for systemd it is the same process');

  await offer(agent, '0.3.0', 'crashes');
  await expectUpgrade(agent, 'a version that crashes under systemd', ['0.2.0', 'failed', /started 3 times/]);
  const state = () => property(root, 'ActiveState');
  await waitFor(
    () => state() === 'active',
    () => `the service is ${state()}:\n${agent.log()}`,
  );
  check(true, `the service is active after ${property(root, 'NRestarts')} restarts`);

  const said = succeed(root.run, ['quarterdeck-agent', 'rollback']).trim();
  check(said.includes('version 0.1.0 is back'), `root rolls back the agent of another user: ${said}`);
  succeed(root.run, ['systemctl', 'restart', UNIT]);
  await untilRuns(agent, '0.1.0');
  check(true, 'after a restart of the unit 0.1.0 runs');
}

export const testExecutableService = () =>
  withUpgradeWorld(async (world) => {
    await using root = await bootRoot();
    installAgent(root, world);
    const log = () => root.run(['journalctl', `--unit=${UNIT}`, '--output=cat', '--no-pager']).stdout;
    await checkService(root, { ...world, log });
  });
