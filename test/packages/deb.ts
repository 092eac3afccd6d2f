// Installs the Debian packages with apt into a clean Debian root with systemd, and follows their life: first start,
// first error, agent, upgrade, removal, data of a released version, purge.
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASE } from '../../scripts/release/release-folder.ts';
import { check, hasProgram, needPrograms, Skip, secondsSince } from './check.ts';
import { checkNginxError, listErrors, signIn } from './first-error.ts';
import { runHere, succeed, variablesOf, waitFor, waitUntilReady } from './installation.ts';
import { checkReleasedData, KEEP_ALL } from './released-data.ts';
import { bootHost, DATA, SETTINGS, type ServiceHost } from './service-host.ts';

/** Folder of the packages in the root. */
const PLACE = '/opt/packages';
/** A line of the administrator in the settings, which packages must keep. */
const OWN_LINE = '# A line of the administrator.\n';
/** Suffix of a version that is newer than the one without it. */
const NEWER = '+test1';

/** Files of the packages for this machine, by name. */
function packageFiles(): Record<'server' | 'cli' | 'agent', string> {
  const find = (name: string): string => {
    const file = readdirSync(RELEASE).find((entry) => new RegExp(`^quarterdeck-${name}_.*_amd64\\.deb$`).test(entry));
    if (file === undefined || process.arch !== 'x64') throw new Skip('there are no packages; run pnpm release:debs');
    return file;
  };
  return { server: find('server'), cli: find('cli'), agent: find('agent') };
}

/** Runs apt without questions. */
function apt(host: ServiceHost, ...args: readonly string[]): string {
  return succeed(host.run, ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '--yes', '--quiet', ...args]);
}

const readSecret = (host: ServiceHost, path: string): string => readFileSync(join(host.folder, path), 'utf8').trim();

const has = (host: ServiceHost, path: string): boolean => existsSync(join(host.folder, path));

const isActive = (host: ServiceHost, unit: string): boolean =>
  host.run(['systemctl', '--quiet', 'is-active', unit]).status === 0;

/** Installs all packages on free ports, and reaches the first error. */
async function checkInstall(host: ServiceHost, files: readonly string[]): Promise<void> {
  const settings = { port: new URL(host.url).port, syslog_port: host.syslogPort, ...KEEP_ALL };
  const lines = Object.entries(variablesOf(settings)).map(([name, value]) => `Environment=${name}=${value}\n`);
  host.dropIn('quarterdeckd.service', `[Service]\n${lines.join('')}`);
  apt(host, 'update');
  const startMs = performance.now();
  apt(host, 'install', '--no-install-recommends', ...files.map((file) => `${PLACE}/${file}`));
  check(true, `apt install of server, command line and agent: ${secondsSince(startMs)}`);
  await waitUntilReady(host);
  check(host.property('quarterdeckd', 'UnitFileState') === 'enabled', 'the server runs and is enabled');
  const owners = succeed(host.run, ['stat', '-c', '%U:%G %a', DATA, '/etc/quarterdeck', SETTINGS]).trim().split('\n');
  const expected = 'quarterdeck:quarterdeck 700, root:quarterdeck 750, root:quarterdeck 640';
  check(owners.join(', ') === expected, `data and settings belong to ${owners.join(', ')}`);
  signIn(host, 'admin', readSecret(host, `${DATA}/first-password`));
  await checkNginxError(host);
  check(true, `from the packages to the first error: ${secondsSince(startMs)}`);
}

/** Enrolls the host with the two commands that the installation prints. */
async function checkAgent(host: ServiceHost): Promise<void> {
  check(!isActive(host, 'quarterdeck-agent'), 'the agent does not run before the host is enrolled');
  const create = ['quarterdeckd', 'token', 'create', '--user', 'admin', '--name', 'enroll'];
  const token = succeed(host.run, ['runuser', '-u', 'quarterdeck', '--', ...create]);
  succeed(host.run, ['tee', '/root/token'], token);
  succeed(host.run, ['quarterdeck-agent', 'enroll', '--server', host.url, '--token-file', '/root/token']);
  host.systemctl('enable', '--quiet', '--now', 'quarterdeck-agent');
  const online = () => host.quarterdeck(['agents', 'list', '--jq', '.[] | select(.online) | .hostname']).stdout.trim();
  const agent = await waitFor(
    () => online() || false,
    () => `the agent is not online:\n${host.run(['journalctl', '--unit=quarterdeck-agent', '--no-pager']).stdout}`,
  );
  check(isActive(host, 'quarterdeck-agent'), `the agent is online after two commands: ${agent}`);
}

/** Writes a package again with a higher version into the root. Returns its name. */
function repack(host: ServiceHost, file: string): string {
  const stage = join(host.folder, 'opt/stage');
  const run = (...argv: readonly string[]) => succeed(runHere, argv);
  run('dpkg-deb', '--raw-extract', join(RELEASE, file), stage);
  run('sed', '-i', `s/^Version: .*/&${NEWER}/`, join(stage, 'DEBIAN/control'));
  const newer = file.replace('_amd64', `${NEWER}_amd64`);
  run('dpkg-deb', '--root-owner-group', '-Zgzip', '-z1', '--build', stage, join(host.folder, PLACE, newer));
  run('rm', '-rf', stage);
  return newer;
}

async function checkUpgrade(host: ServiceHost, files: readonly string[]): Promise<void> {
  appendFileSync(join(host.folder, SETTINGS), OWN_LINE);
  const before = listErrors(host);
  const [server, agent] = ['quarterdeckd', 'quarterdeck-agent'].map((unit) => host.property(unit, 'MainPID'));
  const newer = files.map((file) => repack(host, file));
  const startMs = performance.now();
  apt(host, 'install', ...newer.map((file) => `${PLACE}/${file}`));
  await waitUntilReady(host);
  check(true, `apt install of a newer version: ${secondsSince(startMs)}`);
  const isNew = host.property('quarterdeckd', 'MainPID') !== server;
  check(isNew && host.property('quarterdeck-agent', 'MainPID') !== agent, 'an upgrade restarts server and agent');
  const kept = readSecret(host, SETTINGS).endsWith(OWN_LINE.trim());
  check(kept && listErrors(host).join() === before.join(), 'an upgrade keeps settings and data');
}

async function checkRemoval(host: ServiceHost, files: readonly string[]): Promise<void> {
  const before = listErrors(host);
  apt(host, 'remove', 'quarterdeck-server');
  const isGone = !isActive(host, 'quarterdeckd') && !has(host, '/usr/bin/quarterdeckd');
  check(isGone && has(host, `${DATA}/secret.key`) && has(host, SETTINGS), 'a removal keeps settings and data');
  apt(host, 'install', ...files.map((file) => `${PLACE}/${file}`));
  await waitUntilReady(host);
  check(listErrors(host).join() === before.join(), 'an install after it works on with them');
}

async function checkOldData(host: ServiceHost): Promise<void> {
  await host.useReleasedData();
  host.systemctl('start', 'quarterdeckd');
  await checkReleasedData(host);
}

function checkPurge(host: ServiceHost): void {
  apt(host, 'purge', 'quarterdeck-server', 'quarterdeck-agent', 'quarterdeck-cli');
  const places = [
    DATA,
    '/etc/quarterdeck',
    '/etc/quarterdeck-agent',
    '/var/lib/quarterdeck-agent',
    '/var/lib/private/quarterdeck-agent',
    '/usr/lib/quarterdeck-server',
  ];
  const left = places.filter((path) => has(host, path));
  check(left.length === 0, `of data and settings a purge leaves ${left.join(', ') || 'nothing'}`);
  const failed = host.systemctl('list-units', '--failed', '--no-legend', 'quarterdeck*').trim();
  check(failed === '', `no unit has failed${failed}`);
}

function checkLintian(files: readonly string[]): void {
  const lintian = ['lintian', '--allow-root', '--fail-on', 'error', '--profile', 'debian'];
  const { status, stdout } = runHere([...lintian, ...files.map((file) => join(RELEASE, file))]);
  check(status === 0, `lintian finds no error${status === 0 ? '' : `:\n${stdout}`}`);
}

export async function testDeb(): Promise<void> {
  const { server, cli, agent } = packageFiles();
  needPrograms('dpkg-deb');
  await using host = await bootHost();
  mkdirSync(join(host.folder, PLACE));
  for (const file of [server, cli, agent]) copyFileSync(join(RELEASE, file), join(host.folder, PLACE, file));
  await checkInstall(host, [server, cli, agent]);
  await checkAgent(host);
  await checkUpgrade(host, [server, agent]);
  await checkRemoval(host, [server]);
  await checkOldData(host);
  checkPurge(host);
  if (hasProgram('lintian')) checkLintian([server, cli, agent]);
  else console.log('skipped: lintian, because it is not installed');
}
