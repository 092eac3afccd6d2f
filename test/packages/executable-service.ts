// The single executable as a service of a real systemd: it replaces itself inside the sandbox of its unit.
import { appendFileSync, copyFileSync, cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { install, serve } from '../../scripts/release/outside.ts';
import { RELEASE, ROOT, tarballs } from '../../scripts/release/release-folder.ts';
import { expectUpgrade, offer, runningVersion, signIn, type UpgradedAgent, WAIT_MS } from './agent-upgrades.ts';
import { NAME, startDownloads, useNewKey } from './agent-versions.ts';
import { type BootedRoot, bootRoot } from './booted-root.ts';
import { check, Skip } from './check.ts';
import { succeed, waitFor } from './installation.ts';

const UNIT = 'quarterdeck-agent';

/** A property of the unit. */
const property = ({ run }: BootedRoot, name: string): string =>
  succeed(run, ['systemctl', 'show', UNIT, `--property=${name}`, '--value']).trim();

/** Installs the executable with the settings of its upgrades, and starts it. */
function installAgent(root: BootedRoot, settings: Readonly<Record<string, string | number>>, token: string): void {
  const { folder, run } = root;
  cpSync(join(ROOT, 'packaging/systemd'), join(folder, 'opt/systemd'), { recursive: true });
  copyFileSync(join(RELEASE, NAME), join(folder, 'opt', NAME));
  succeed(run, ['sh', '/opt/systemd/install.sh', 'agent', `/opt/${NAME}`]);
  const lines = Object.entries(settings).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  appendFileSync(join(folder, 'etc/quarterdeck-agent/agent.toml'), lines.join(''));
  writeFileSync(join(folder, 'etc/quarterdeck-agent/enroll-token'), `${token}\n`, { mode: 0o600 });
  succeed(run, ['systemctl', 'enable', '--quiet', '--now', UNIT]);
}

async function checkService(root: BootedRoot, agent: UpgradedAgent): Promise<void> {
  const [pid, status] = [property(root, 'MainPID'), property(root, 'StatusText')];
  check(status.startsWith('reports to'), `the executable is a service: ${status}`);
  await offer(agent, '0.2.0');
  const good = { version: '0.2.0', state: 'succeeded', detail: /restarted as 0\.2\.0/ };
  await expectUpgrade(agent, 'a signed version under systemd', good);
  const isSame = property(root, 'MainPID') === pid && property(root, 'NRestarts') === '0';
  check(isSame && property(root, 'ActiveState') === 'active', 'for systemd it is the same process');

  await offer(agent, '0.3.0', 'crashes');
  const bad = { version: '0.2.0', state: 'failed', detail: /started 3 times/ };
  await expectUpgrade(agent, 'a version that crashes under systemd', bad);
  const state = () => property(root, 'ActiveState');
  await waitFor(
    () => state() === 'active' || undefined,
    () => `the service is ${state()}:\n${agent.log()}`,
    WAIT_MS,
  );
  check(true, `the service is active after ${property(root, 'NRestarts')} restarts`);

  const said = succeed(root.run, ['quarterdeck-agent', 'rollback']).trim();
  check(said.includes('version 0.1.0 is back'), `root rolls back the agent of another user: ${said}`);
  succeed(root.run, ['systemctl', 'restart', UNIT]);
  await waitFor(async () => (await runningVersion(agent)) === '0.1.0' || undefined, agent.log, WAIT_MS);
  check(true, 'after a restart of the unit 0.1.0 runs');
}

/** The test `executable-service`. */
export async function testExecutableService(): Promise<void> {
  if (process.arch !== 'x64') throw new Skip('its versions are made for x64');
  if (!existsSync(join(RELEASE, NAME))) throw new Skip(`release/ has no ${NAME}; run pnpm release:executables`);
  const root = await bootRoot();
  const base = mkdtempSync(join(tmpdir(), 'quarterdeck-executable-service-'));
  const downloads = await startDownloads();
  const key = useNewKey(base);
  const program = join(install(base, 'server', tarballs('server')), 'node_modules/.bin/quarterdeckd');
  const server = await serve(program, dirname(process.execPath), join(base, 'data'), {
    QUARTERDECK_AGENT_INTERVAL: '2',
  });
  try {
    const call = await signIn(server);
    const { token } = await call<{ token: string }>('POST', '/admin-api/api_token', { name: 'service' });
    const settings = { url: server.url, upgrade_url: downloads.url, upgrade_key: key, upgrade_trial_s: 30 };
    installAgent(root, settings, token);
    const log = () => root.run(['journalctl', `--unit=${UNIT}`, '--output=cat', '--no-pager']).stdout;
    await checkService(root, { base, downloads, call, log });
  } finally {
    downloads.stop();
    await root.stop();
    await server.stop();
    rmSync(base, { recursive: true });
  }
}
