// Installs the server from an archive, and the agent as one file, as services of a real systemd in a clean Debian root.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extract } from 'tar';
import { RELEASE, tarballs } from '../../scripts/release/release-folder.ts';
import { check, Skip, secondsSince } from './check.ts';
import { checkNginxError, signIn } from './first-error.ts';
import { succeed, waitFor, waitUntilReady } from './installation.ts';
import { checkReleasedData, KEEP_ALL } from './released-data.ts';
import { bootHost, DATA, SETTINGS, type ServiceHost } from './service-host.ts';
import { checkAgentService } from './systemd-agent.ts';
import { checkRestarts } from './systemd-restart.ts';

/** Seconds of the watchdog in the test; the unit has 60. On a busy machine a healthy server is silent for some. */
const WATCHDOG_S = 15;

const archiveFile = (): string => {
  const name = readdirSync(RELEASE).find((file) => /^quarterdeck-[\d.]+-linux-x64\.tar\.gz$/.test(file));
  if (name === undefined || process.arch !== 'x64') throw new Skip('there is no archive; run pnpm release:archives');
  return join(RELEASE, name);
};

/** Installs the server from the archive, and starts it on free ports. */
async function installServer(host: ServiceHost): Promise<void> {
  host.script('install.sh', 'server', '--no-start');
  const ports = `port = ${new URL(host.url).port}\nsyslog_port = ${host.syslogPort}\n`;
  appendFileSync(join(host.folder, SETTINGS), ports);
  host.systemctl('enable', '--quiet', '--now', 'quarterdeckd');
  await waitUntilReady(host);
  const status = host.property('quarterdeckd', 'StatusText');
  check(status.includes(host.url), `the server is a service: ${status}`);
  const processes = host.property('quarterdeckd', 'MainPID');
  const user = succeed(host.run, ['stat', '-c', '%U %a', `/proc/${processes}`, DATA])
    .trim()
    .replace('\n', ', ');
  check(user === 'quarterdeck 555, quarterdeck 700', `it runs as its user: ${user}`);
}

async function checkWatchdog(host: ServiceHost): Promise<void> {
  host.dropIn('quarterdeckd.service', `[Service]\nWatchdogSec=${WATCHDOG_S}\n`);
  await host.restart();
  const property = (name: string) => host.property('quarterdeckd', name);
  const pid = property('MainPID');
  host.systemctl('reload', 'quarterdeckd');
  const keptAliveUs = () => Number(property('WatchdogTimestampMonotonic'));
  const fromUs = keptAliveUs();
  await waitFor(
    () => keptAliveUs() > fromUs + WATCHDOG_S * 1e6 || property('MainPID') !== pid,
    () => 'the server does not keep the watchdog quiet',
  );
  const isSame = property('MainPID') === pid;
  check(isSame, 'the watchdog and a reload without a certificate leave a healthy server alone');
  const startMs = performance.now();
  succeed(host.run, ['sh', '-c', `kill -STOP ${pid}`]);
  await waitFor(
    () => property('NRestarts') !== '0',
    () => 'systemd does not restart a server that hangs',
  );
  await waitUntilReady(host);
  check(true, `the watchdog of ${WATCHDOG_S} s replaces a server that hangs: ready after ${secondsSince(startMs)}`);
  host.dropIn('quarterdeckd.service', '');
}

async function checkUpgrade(host: ServiceHost): Promise<void> {
  await host.useReleasedData();
  const keep = Object.entries(KEEP_ALL).map(([key, value]) => `${key} = ${value}\n`);
  appendFileSync(join(host.folder, SETTINGS), keep.join(''));
  // Upgrades the program too, and keeps the settings.
  host.script('install.sh', 'server');
  await checkReleasedData(host);
  check(host.property('quarterdeckd', 'Result') === 'success', 'a second run of install.sh restarts the server');
}

function checkUninstall(host: ServiceHost): void {
  const has = (path: string) => existsSync(join(host.folder, path));
  host.script('uninstall.sh', 'server');
  const program = has('/usr/local/bin/quarterdeckd') || has('/etc/systemd/system/quarterdeckd.service');
  check(!program && has(`${DATA}/secret.key`) && has(SETTINGS), 'uninstall.sh keeps data and settings');
  host.script('uninstall.sh', 'server', '--purge');
  const user = host.run(['getent', 'passwd', 'quarterdeck']).status === 0;
  check(!has(DATA) && !has(SETTINGS) && !user, 'uninstall.sh --purge removes data, settings and user');
  const failed = host.systemctl('list-units', '--failed', '--no-legend', 'quarterdeck*').trim();
  check(failed === '', `no unit has failed${failed}`);
}

export async function testSystemd(): Promise<void> {
  const archive = archiveFile();
  const [agent = ''] = tarballs('agent');
  await using host = await bootHost();
  const place = join(host.folder, 'opt/archive');
  mkdirSync(place);
  extract({ file: archive, cwd: place, strip: 1, sync: true });
  const isProgram = (path: string) => path.endsWith('.mjs');
  extract({ file: agent, cwd: join(host.folder, 'opt'), strip: 2, sync: true, filter: isProgram });
  const startMs = performance.now();
  await installServer(host);
  signIn(host, 'admin', readFileSync(join(host.folder, DATA, 'first-password'), 'utf8'));
  await checkNginxError(host);
  check(true, `from the archive to the first error as a service: ${secondsSince(startMs)}`);
  await checkAgentService(host);
  await checkWatchdog(host);
  await checkRestarts(host);
  await checkUpgrade(host);
  checkUninstall(host);
}
