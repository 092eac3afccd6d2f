// Runs the agent as a single executable against the packed server: it enrols, ships, replaces itself by a signed
// version, and goes back from versions that do not work.
import { execFile, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { install, serve } from '../../scripts/release/outside.ts';
import { filesBelow, RELEASE, tarballs } from '../../scripts/release/release-folder.ts';
import { expectUpgrade, offer, runningVersion, signIn, type UpgradedAgent, WAIT_MS } from './agent-upgrades.ts';
import { type Downloads, NAME, startDownloads, useNewKey } from './agent-versions.ts';
import { check, Skip } from './check.ts';
import { type Outcome, waitFor } from './installation.ts';
import { type SupervisedAgent, superviseAgent } from './supervised-agent.ts';

/** User and group without any right. */
const NOBODY = 65_534;
/** Seconds in which a version on trial must report. */
const TRIAL_S = 10;

/** An agent that this process supervises. */
interface Host extends UpgradedAgent {
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
  readonly agent: SupervisedAgent;
}

/** Runs a command of the installed executable. This process goes on: it serves the downloads. */
function command({ program, env }: Host, ...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { env }, (_, stdout, stderr) => {
      resolve({ status: child.exitCode, stdout, stderr });
    });
  });
}

/** Starts the agent again and waits until it runs as a version. */
async function restart(host: Host, version: string, signal?: NodeJS.Signals): Promise<void> {
  const { agent } = host;
  const before = agent.log().length;
  await agent.restart(signal);
  const isRunning = () => agent.log().slice(before).includes(`"version":"${version}"`);
  await waitFor(() => isRunning() || undefined, agent.log, WAIT_MS);
  await waitFor(async () => (await runningVersion(host)) === version || undefined, agent.log, WAIT_MS);
}

async function checkUpgrades(host: Host): Promise<void> {
  const { agent } = host;
  const { pid } = agent;
  const good = await offer(host, '0.2.0');
  const offered = await command(host, 'upgrade', '--check');
  check(
    /version 0\.2\.0 is offered; 0\.1\.0 is in use/.test(offered.stdout),
    `upgrade --check: ${offered.stdout}${offered.stderr}`.trim(),
  );
  await expectUpgrade(host, 'a signed version', {
    version: '0.2.0',
    state: 'succeeded',
    detail: /restarted as 0\.2\.0/,
  });
  check(agent.pid === pid && agent.ends.length === 0, 'the process of the agent stays the same');

  const bad = await offer(host, '0.3.0', 'crashes');
  appendFileSync(join(bad, NAME), 'x');
  await expectUpgrade(host, 'a changed file', {
    version: '0.2.0',
    state: 'failed',
    detail: /not the one that was signed/,
  });
  rmSync(bad, { recursive: true });
  await offer(host, '0.3.0', 'crashes');
  await expectUpgrade(host, 'a version that crashes', { version: '0.2.0', state: 'failed', detail: /started 3 times/ });
  await expectUpgrade(host, 'the same once more', {
    version: '0.2.0',
    state: 'failed',
    detail: /rolled back on this host/,
  });
  await offer(host, '0.4.0', 'isSilent');
  await expectUpgrade(host, 'a version without reports', {
    version: '0.2.0',
    state: 'failed',
    detail: /no accepted report within/,
  });
  await offer(host, '0.5.0', 'refuses');
  await expectUpgrade(host, 'a version that refuses the settings', {
    version: '0.2.0',
    state: 'failed',
    detail: /ended with code 2/,
  });
  host.downloads.folder = good;

  await restart(host, '0.2.0', 'SIGKILL');
  check(true, 'after a kill the agent starts as 0.2.0 again');
  const back = await command(host, 'rollback');
  check(
    /version 0\.2\.0 is refused from now on; version 0\.1\.0 is back/.test(back.stdout),
    `rollback: ${back.stdout}${back.stderr}`.trim(),
  );
  await restart(host, '0.1.0');
  check(true, 'after a roll-back and a restart 0.1.0 runs');
  const again = await command(host, 'upgrade');
  check(again.status === 1 && again.stderr.includes('rolled back on this host'), `upgrade: ${again.stderr.trim()}`);
  const forced = await command(host, 'upgrade', '--force');
  check(forced.status === 0, `upgrade --force: ${forced.stdout}${forced.stderr}`.trim());
  await restart(host, '0.2.0');
  check(true, 'after a forced upgrade and a restart 0.2.0 runs');
  const left = readdirSync(join(host.base, 'agent/program')).sort();
  check(left.join(' ') === 'program.json quarterdeck-agent-0.2.0', `files of the agent: ${left.join(' ')}`);
}

/** Runs commands as root on the folder of another user, who may not enter the folders above, as under systemd. */
async function checkOtherUser(host: Host): Promise<void> {
  if (process.geteuid?.() !== 0) return console.log('skipped: the folder of another user, because it needs root');
  const folder = join(host.base, 'agent');
  for (const path of [folder, ...filesBelow(folder).map((name) => join(folder, name)), join(folder, 'program')]) {
    chownSync(path, NOBODY, NOBODY);
  }
  const outputs: string[] = [];
  for (const words of [['rollback'], ['upgrade', '--force']]) {
    const { stdout, stderr } = await command(host, ...words);
    outputs.push(stdout + stderr);
  }
  const ok = /0\.1\.0 is back/.test(outputs[0] ?? '') && /0\.2\.0 is downloaded and verified/.test(outputs[1] ?? '');
  const owners = ['program.json', 'quarterdeck-agent-0.2.0'].map((name) => statSync(join(folder, 'program', name)).uid);
  check(
    ok && owners.every((uid) => uid === NOBODY),
    `root works as the owner of the folder: ${outputs.join('').trim()}`,
  );
}

async function checkShipping(host: Host, file: string): Promise<void> {
  const text = `[error] 7#7: the executable ships ${Date.now()}`;
  appendFileSync(file, `${new Date().toISOString().slice(0, 19).replace('T', ' ').replaceAll('-', '/')} ${text}\n`);
  await waitFor(
    async () => {
      const { data } = await host.call<{ data: { log: string }[] }>('GET', '/admin-api/log_server/errlog');
      return data.find(({ log }) => log.includes('the executable ships'));
    },
    () => `the line is not at the server:\n${host.agent.log()}`,
  );
  check(true, 'ships a line of a log file');
}

/** Compares the signature with the program that made the format. */
function checkMinisign({ folder }: Downloads, key: string): void {
  if (spawnSync('which', ['minisign'], { stdio: 'ignore' }).status !== 0) {
    console.log('skipped: minisign -V, because minisign is not installed');
    return;
  }
  const { status, stdout, stderr } = spawnSync('minisign', ['-V', '-m', join(folder, NAME), '-P', key], {
    encoding: 'utf8',
  });
  check(status === 0, `minisign -V: ${(stdout || stderr).trim().split('\n').at(-1)}`);
}

/** The test `executable`. */
export async function testExecutable(): Promise<void> {
  const released = join(RELEASE, NAME);
  if (process.arch !== 'x64') throw new Skip('its versions are made for x64');
  if (!existsSync(released)) throw new Skip(`release/ has no ${NAME}; run pnpm release:executables`);
  const base = mkdtempSync(join(tmpdir(), 'quarterdeck-executable-test-'));
  const downloads = await startDownloads();
  const key = useNewKey(base);
  const modules = join(install(base, 'server', tarballs('server')), 'node_modules');
  const server = await serve(join(modules, '.bin/quarterdeckd'), dirname(process.execPath), join(base, 'data'), {
    QUARTERDECK_AGENT_INTERVAL: '2',
  });
  let agent: SupervisedAgent | undefined;
  try {
    const call = await signIn(server);
    const { token } = await call<{ token: string }>('POST', '/admin-api/api_token', { name: 'executable' });
    mkdirSync(join(base, 'bin'));
    const program = join(base, 'bin/quarterdeck-agent');
    copyFileSync(released, program);
    const [agentDir, file] = [join(base, 'agent'), join(base, 'error.log')];
    const env = {
      PATH: '/usr/bin:/bin',
      QUARTERDECK_AGENT_DIR: agentDir,
      QUARTERDECK_AGENT_FILES: file,
      QUARTERDECK_AGENT_UPGRADE_URL: downloads.url,
      QUARTERDECK_AGENT_UPGRADE_KEY: key,
      QUARTERDECK_AGENT_UPGRADE_TRIAL_S: String(TRIAL_S),
    };
    const enrol = spawnSync(program, ['enroll', '--server', server.url], { env, input: token, encoding: 'utf8' });
    check(enrol.status === 0, `enrols: ${enrol.stdout}${enrol.stderr}`.trim());
    agent = superviseAgent(program, env);
    const host: Host = { base, program, env, agent, downloads, call, log: agent.log };
    await waitFor(() => (host.agent.log().includes('"started"') ? true : undefined), host.agent.log);
    await checkShipping(host, file);
    await checkUpgrades(host);
    await checkShipping(host, file);
    checkMinisign(downloads, key);
    await agent.stop();
    await checkOtherUser(host);
    const state = readFileSync(join(agentDir, 'program/program.json'), 'utf8');
    check(!state.includes(base), 'the state names no path');
  } finally {
    await agent?.stop();
    downloads.stop();
    check((await server.stop()) === 0, 'the server stops');
    rmSync(base, { recursive: true });
  }
}
